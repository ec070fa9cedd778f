/** A check of this machine, as by `amux doctor`. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { AgentReport, MachineReport } from "../../core/agent-report.ts";
import { agentLabel } from "../state/agents.ts";
import { api } from "../state/api.ts";
import { param } from "../state/route.ts";
import { bytes, plural } from "../ui/figures.ts";
import { messageOf } from "../ui/notices.ts";
import { Group } from "./settings-group.tsx";

const SHOWN = 5;

export function DoctorSettings(): JSX.Element {
  const found = useSignal<MachineReport | null>(null);
  const note = useSignal("");
  const leaving = useRef(new AbortController());
  const check = async (): Promise<void> => {
    note.value = "Reading every session …";
    try {
      found.value = await api.doctor(leaving.current.signal);
      note.value = "";
    } catch (error) {
      note.value = messageOf(error);
    }
  };
  useEffect(() => {
    // A link leads here and asks for it.
    if (param("check") !== "") void check();
    return () => leaving.current.abort();
  }, []);
  return (
    <Group title="Doctor">
      <p>Reads every session of every agent: what is installed, where amux looked, and what it could not read.</p>
      <button type="button" disabled={note.value.startsWith("Reading")} onClick={() => void check()}>
        Check this machine
      </button>
      <p class="muted" role="status">
        {note.value}
      </p>
      {found.value === null ? null : (
        <dl class="doctor">
          {found.value.reports.map((report) => (
            <Report key={report.agent} report={report} />
          ))}
        </dl>
      )}
      {found.value?.refused.map((text) => (
        <p key={text} class="bad">
          Not read: {text}
        </p>
      ))}
      {found.value?.damagedReviews.map(({ path, reason }) => (
        <p key={path} class="bad">
          Not a review: {path} ({reason}). It is left as it is.
        </p>
      ))}
    </Group>
  );
}

function Report({ report }: { report: AgentReport }): JSX.Element {
  const {
    agent,
    displayName,
    installed,
    version,
    stores,
    sessions,
    bytes: size,
    skipped,
    skippedCount,
    damagedLines,
  } = report;
  const places = stores.filter(({ exists }) => exists);
  const unknown = Object.keys(report.unknownRecordTypes);
  return (
    <>
      <dt>{agentLabel(agent, displayName)}</dt>
      <dd>
        {installed ? `Installed${version === undefined ? "" : `, ${version}`}.` : "Not on the PATH."}{" "}
        {places.length > 0
          ? `${plural(sessions, "session")}, ${bytes(size)}, in ${places.map(({ path }) => path).join(", ")}.`
          : `No history at ${stores.map(({ path }) => path).join(", ")}.`}
        {skippedCount === 0 ? null : (
          <span class="bad">
            {" "}
            {plural(skippedCount, "file")} skipped:{" "}
            {skipped
              .slice(0, SHOWN)
              .map(({ path, reason }) => `${path} (${reason})`)
              .join(", ")}
            {skippedCount > SHOWN ? ", …" : ""}.
          </span>
        )}
        {damagedLines === 0 ? null : <span class="bad"> {plural(damagedLines, "damaged line")}.</span>}
        {unknown.length === 0 ? null : <span class="bad"> Unknown records: {unknown.join(", ")}.</span>}
      </dd>
    </>
  );
}
