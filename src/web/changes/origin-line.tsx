/** Who made a change, with how sure that is, and a link to the message that did. */
import type { JSX } from "preact";
import type { ChangeOrigin } from "../../core/changes.ts";
import { transcriptPath } from "../state/route.ts";
import { AgentBadge } from "../ui/agent-badge.tsx";

const TIERS: Record<ChangeOrigin["tier"], string> = {
  proved: "proved by the recorded edit",
  near: "near in time and file, not proved",
  none: "not by a session we know",
};

export function OriginLine({ origin, peer }: { origin: ChangeOrigin; peer: string | undefined }): JSX.Element {
  const { tier, agent, sessionId, sessionTitle, messageIndex, subagent, reason } = origin;
  if (agent === undefined || sessionId === undefined) {
    return (
      <span class="origin none" title={reason}>
        {TIERS[tier]}
      </span>
    );
  }
  const name = sessionTitle ?? sessionId;
  return (
    <span class={`origin ${tier}`} title={reason}>
      <AgentBadge agent={agent} />{" "}
      <a href={transcriptPath(`${agent}:${sessionId}`, messageIndex, peer)}>
        {name}
        {messageIndex === undefined ? "" : `, message ${messageIndex}`}
      </a>
      {subagent === undefined ? "" : `, sub-agent ${subagent}`}
      <span class="muted"> · {TIERS[tier]}</span>
    </span>
  );
}
