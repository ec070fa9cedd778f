/** A past session in a short list; it opens its transcript. */
import type { JSX } from "preact";
import type { Wire } from "../../client/daemon-api.ts";
import type { SessionSummary } from "../../core/session.ts";
import { transcriptPath } from "../state/route.ts";
import { AgentBadge } from "./agent-badge.tsx";
import { baseName } from "./figures.ts";
import { age, fullTime } from "./times.ts";
import { VaultBadge } from "./vault-badge.tsx";

export function RecentSession({ summary }: { summary: Wire<SessionSummary> }): JSX.Element {
  const { unifiedId, agent, title, cwd, updatedAt, inVault } = summary;
  return (
    <li>
      <a href={transcriptPath(unifiedId)}>
        <AgentBadge agent={agent} />
        <span class="recent-title">{title}</span>
        <VaultBadge isShown={inVault === true} />
        <span class="muted recent-place wide-only">{cwd === undefined ? "" : baseName(cwd)}</span>
        <span class="muted recent-age" title={fullTime(updatedAt)}>
          {age(updatedAt)}
        </span>
      </a>
    </li>
  );
}
