/** The changes since the last visit. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { Overview } from "../../protocol/history-api.ts";
import { sessionPath, transcriptPath } from "../state/route.ts";
import { AgentBadge } from "../ui/agent-badge.tsx";
import { baseName, money, plural } from "../ui/figures.ts";
import { age, fullTime } from "../ui/times.ts";
import type { Change, ChangeKind } from "./changes.ts";

const SHOWN = 12;

const WORDS: Record<ChangeKind, string> = {
  needs: "needs you",
  failed: "failed",
  finished: "finished",
  ended: "ended",
  started: "started",
  moved: "continued",
};

export interface ChangeListProps {
  changes: readonly Change[];
  since: string;
  overview: Overview;
}

export function ChangeList({ changes, since, overview }: ChangeListProps): JSX.Element {
  const isWhole = useSignal(false);
  const shown = isWhole.value ? changes : changes.slice(0, SHOWN);
  return (
    <section aria-label="Changes">
      <h2>
        Since you last looked <span class="muted">({age(since) === "now" ? "just now" : `${age(since)} ago`})</span>
        <span class="change-counts">{[counted(changes), spent(overview)].filter(Boolean).join(" · ")}</span>
      </h2>
      {changes.length === 0 ? <p class="muted">No changes.</p> : null}
      <ul class="recent">
        {shown.map(({ key, kind, title, agent, cwd, at }) => (
          <li key={key}>
            <a href={kind === "moved" ? transcriptPath(key) : sessionPath(key)}>
              <span class={`change ${kind}`}>{WORDS[kind]}</span>
              <span class="recent-title">{title}</span>
              <AgentBadge agent={agent} />
              <span class="muted recent-place wide-only">{cwd === undefined ? "" : baseName(cwd)}</span>
              <span class="muted recent-age" title={fullTime(at)}>
                {age(at)}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {changes.length > shown.length ? (
        <button type="button" class="quiet" onClick={() => (isWhole.value = true)}>
          {plural(changes.length - shown.length, "more change")}
        </button>
      ) : null}
    </section>
  );
}

/** The requests and cost of all sessions since then. */
function spent({ requests, usd }: Overview): string {
  if (requests === 0) return "";
  return usd === 0 ? plural(requests, "request") : `${plural(requests, "request")} for ${money(usd)}`;
}

function counted(changes: readonly Change[]): string {
  const kinds = (Object.keys(WORDS) as ChangeKind[]).map((kind) => ({
    kind,
    count: changes.filter((change) => change.kind === kind).length,
  }));
  return kinds
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => `${count} ${kind === "needs" && count > 1 ? "need you" : WORDS[kind]}`)
    .join(" · ");
}
