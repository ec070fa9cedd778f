/** The requests behind one cost figure, and the excluded ones with the reason. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { HistoryFilters, Wire } from "../../client/daemon-api.ts";
import type { CostRequest } from "../../core/cost.ts";
import { transcriptPath } from "../state/route.ts";
import { IconButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { compact, money, plural } from "../ui/figures.ts";
import { messageOf } from "../ui/notices.ts";
import { fullTime } from "../ui/times.ts";
import { download, requestsCsv } from "./csv.ts";
import { explainOn, type Explained } from "./machine-choice.tsx";
import { rangeOf, type Unit } from "./periods.ts";

const SHOWN = 500;

/** The stretch of time that is shown. */
export type Span = Pick<HistoryFilters, "since" | "until">;

export interface CostExplainProps {
  group: string;
  value: string;
  span: Span;
  machine: string;
  onClose(): void;
}

export function CostExplain({ group, value, span, machine, onClose }: CostExplainProps): JSX.Element {
  const explanation = useSignal<Explained | null>(null);
  const problem = useSignal("");
  useEffect(() => {
    const leaving = new AbortController();
    explainOn(machine, filterOf(group, value, span), leaving.signal).then(
      (answer) => (explanation.value = answer),
      (error: unknown) => {
        if (!leaving.signal.aborted) problem.value = messageOf(error);
      },
    );
    return () => leaving.abort();
  }, []);
  const requests = (explanation.value?.requests ?? []).filter((request) => belongs(request, group, value));
  const dropped = explanation.value?.dropped ?? [];
  return (
    <Dialog label={`Requests of ${value}`} onClose={onClose} class="explain">
      <header class="dialog-head">
        <h2>{value}</h2>
        {requests.length === 0 ? null : (
          <button
            type="button"
            class="small"
            onClick={() => download(`amux-requests-${value.replaceAll(/[^\w.-]+/g, "-")}.csv`, requestsCsv(requests))}
          >
            <Icon name="download" size={14} /> CSV
          </button>
        )}
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      {problem.value === "" ? null : <p class="bad">{problem.value}</p>}
      {explanation.value === null && problem.value === "" ? <p class="empty">Reading …</p> : null}
      {explanation.value === null ? null : (
        <>
          <p class="muted">
            {plural(requests.length, "request")}, {money(requests.reduce((sum, request) => sum + request.usd, 0))}
            {requests.length > SHOWN ? `; showing the first ${SHOWN}, the CSV has all` : ""}
          </p>
          <div class="table-scroll">
            <table class="cost-table">
              <thead>
                <tr>
                  <th>when</th>
                  <th>model</th>
                  <th class="number">cost</th>
                  <th class="number">in</th>
                  <th class="number">cached</th>
                  <th class="number">out</th>
                  <th>how</th>
                  <th>session</th>
                </tr>
              </thead>
              <tbody>
                {requests.slice(0, SHOWN).map((request) => (
                  <RequestRow key={`${request.session} ${request.key}`} request={request} />
                ))}
              </tbody>
            </table>
          </div>
          <Dropped dropped={dropped} />
        </>
      )}
    </Dialog>
  );
}

function RequestRow({ request }: { request: Explained["requests"][number] }): JSX.Element {
  const { timestamp, model, usd, kind, inputTokens, cachedTokens, outputTokens, session, note, price, peer } = request;
  return (
    <tr>
      <td>{fullTime(timestamp)}</td>
      <td>{model ?? "unknown"}</td>
      <td class="number">{kind === "unknown" || kind === "unpriced" ? "unknown" : money(usd)}</td>
      <td class="number">{compact(inputTokens)}</td>
      <td class="number">{compact(cachedTokens)}</td>
      <td class="number">{compact(outputTokens)}</td>
      <td title={[priceWords(price), note].filter(Boolean).join("; ")}>{kind}</td>
      <td>
        <a href={transcriptPath(session, undefined, peer)}>{session.slice(0, 24)}</a>
      </td>
    </tr>
  );
}

/** Applied prices, in dollars per million tokens. */
function priceWords(price: CostRequest["price"]): string {
  if (price === undefined) return "";
  const { input, output, cacheRead, cacheWrite, multiplier, modifiers = [] } = price;
  const parts = [`$${input} in`, `$${output} out`];
  if (cacheRead !== undefined) parts.push(`$${cacheRead} cache reads`);
  if (cacheWrite !== undefined) parts.push(`$${cacheWrite} cache writes`);
  const factor = multiplier === 1 ? "" : `, × ${multiplier} ${modifiers.join(" ")}`;
  return `${parts.join(", ")} per million tokens${factor}`;
}

/** Copies made by a fork or a resume; they were billed once, in the original. */
function Dropped({ dropped }: Pick<Explained, "dropped">): JSX.Element | null {
  if (dropped.length === 0) return null;
  return (
    <details class="dropped">
      <summary>{plural(dropped.length, "duplicate request")} excluded (counted in another session)</summary>
      <ul>
        {dropped.slice(0, SHOWN).map(({ session, key, owner, timestamp, peer }) => (
          <li key={`${session} ${key}`}>
            {fullTime(timestamp)} in <a href={transcriptPath(session, undefined, peer)}>{session}</a>, billed to{" "}
            <a href={transcriptPath(owner, undefined, peer)}>{owner}</a>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Filters that the daemon supports; other groups are filtered here. */
function filterOf(group: string, value: string, span: Span): HistoryFilters & { session?: string } {
  if (group === "session") return { ...span, session: value };
  if (group === "agent") return { ...span, agent: value };
  if (group === "model") return value.startsWith("(") ? span : { ...span, model: value };
  const range = isUnit(group) ? rangeOf(value, group) : undefined;
  if (range === undefined) return span;
  return { since: range.from.toISOString(), until: new Date(range.to.getTime() - 1).toISOString() };
}

function isUnit(group: string): group is Unit {
  return group === "day" || group === "week" || group === "month";
}

function belongs(request: Wire<CostRequest>, group: string, value: string): boolean {
  if (group === "project") return (request.cwd ?? "") === value;
  if (group === "model") return (request.model ?? "(unknown model)") === value;
  return true;
}
