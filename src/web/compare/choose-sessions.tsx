/** Chooses the two sessions to compare. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Wire } from "../../client/daemon-api.ts";
import type { SessionSummary } from "../../core/session.ts";
import { api } from "../state/api.ts";
import { comparePath, go } from "../state/route.ts";
import { attempt } from "../ui/notices.ts";
import { age } from "../ui/times.ts";
import { Problem } from "../ui/problem.tsx";

export interface CompareProps {
  a: string;
  b: string;
  /** The machine of both sessions; undefined for this one. */
  peer: string | undefined;
}

const LIMIT = 500;

export function ChooseSessions({ a, b, peer }: CompareProps): JSX.Element {
  const all = useSignal<readonly Wire<SessionSummary>[]>([]);
  const left = useSignal(a);
  const right = useSignal(b);
  const problem = useSignal("");
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
        const [first, second] = [meant(left.value, all.value), meant(right.value, all.value)];
        problem.value = "problem" in first ? first.problem : "problem" in second ? second.problem : "";
        if (!("problem" in first) && !("problem" in second)) go(comparePath(first.id, second.id, peer));
      }}
    >
      <h1>Compare two sessions</h1>
      {fields.map(({ label, value }) => (
        <label key={label} class="labelled">
          {label}
          <input
            class="field"
            list="all-sessions"
            placeholder="Part of the title, or the beginning of the id"
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
      <Problem text={problem.value} />
      <button type="submit" class="primary" disabled={left.value.trim() === "" || right.value.trim() === ""}>
        Compare
      </button>
    </form>
  );
}

/** Resolves a typed text to a session: by id, id prefix or part of the title. */
function meant(text: string, all: readonly Wire<SessionSummary>[]): { id: string } | { problem: string } {
  const wanted = text.trim().toLowerCase();
  const byId = all.filter(({ unifiedId, sessionId }) =>
    [unifiedId, sessionId].some((id) => id.toLowerCase().startsWith(wanted)),
  );
  const found = byId.length > 0 ? byId : all.filter(({ title }) => title.toLowerCase().includes(wanted));
  const exact = found.find(({ unifiedId }) => unifiedId.toLowerCase() === wanted) ?? found[0];
  if (found.length === 1 || exact?.unifiedId.toLowerCase() === wanted) return { id: exact!.unifiedId };
  // Older sessions are not in the list, but a full id still works.
  if (found.length === 0 && /^[\w-]+:./.test(wanted)) return { id: text.trim() };
  return {
    problem:
      found.length === 0
        ? `No session matches “${text}”.`
        : `${found.length} sessions match “${text}”. Type more of it, or pick one from the list.`,
  };
}
