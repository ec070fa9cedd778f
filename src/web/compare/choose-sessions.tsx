/** Which two sessions to compare, from all there are. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Wire } from "../../client/daemon-api.ts";
import type { SessionSummary } from "../../core/session.ts";
import { api } from "../state/api.ts";
import { comparePath, go } from "../state/route.ts";
import { attempt } from "../ui/notices.ts";
import { age } from "../ui/times.ts";

export interface CompareProps {
  a: string;
  b: string;
  /** The machine both are on; undefined for this one. */
  peer: string | undefined;
}

const LIMIT = 500;

export function ChooseSessions({ a, b, peer }: CompareProps): JSX.Element {
  const all = useSignal<readonly Wire<SessionSummary>[]>([]);
  const left = useSignal(a);
  const right = useSignal(b);
  useEffect(() => {
    void attempt(async () => {
      all.value = await api.history({ limit: LIMIT, counts: false }, peer);
    });
  }, []);
  const fields = [
    { label: "First session", value: left },
    { label: "Second session", value: right },
  ];
  return (
    <form
      class="choose"
      onSubmit={(event) => {
        event.preventDefault();
        go(comparePath(left.value, right.value, peer));
      }}
    >
      <h1>Compare two sessions</h1>
      {fields.map(({ label, value }) => (
        <label key={label} class="labelled">
          {label}
          <input
            class="field"
            list="all-sessions"
            placeholder="agent:id, or part of the title"
            value={value.value}
            onInput={(event) => (value.value = event.currentTarget.value)}
          />
        </label>
      ))}
      <datalist id="all-sessions">
        {all.value.map(({ unifiedId, title, updatedAt }) => (
          <option key={unifiedId} value={unifiedId}>
            {`${title} · ${age(updatedAt)}`}
          </option>
        ))}
      </datalist>
      <button type="submit" class="primary" disabled={!left.value.includes(":") || !right.value.includes(":")}>
        Compare
      </button>
    </form>
  );
}
