/** Above a session: what it is, where it runs, what can be done with it. */
import type { JSX } from "preact";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { isConfirmed } from "../ui/ask.ts";
import { api } from "../state/api.ts";
import { conversationPath, go } from "../state/route.ts";
import { AgentBadge } from "../ui/agent-badge.tsx";
import { IconButton } from "../ui/button.tsx";
import { bytes, money } from "../ui/figures.ts";
import { Icon } from "../ui/icon.tsx";
import { MachineBadge } from "../ui/machine-badge.tsx";
import { attempt } from "../ui/notices.ts";
import type { Details } from "./details.ts";

export interface SessionHeaderProps {
  session: MuxSession;
  /** Of a live one. */
  details?: Details;
  onSplit?(): void;
}

export function SessionHeader({ session, details, onSplit }: SessionHeaderProps): JSX.Element {
  const { id, alive, kind, agent, title } = session;
  const conversation = conversationPath(session);
  return (
    <header class="view-head">
      <a class="icon-button only-phone" href="/sessions" aria-label="All sessions">
        <Icon name="back" />
      </a>
      <div class="view-title">
        <h1>{title}</h1>
        <p class="view-line">
          <AgentBadge agent={agent ?? kind} />
          <MachineBadge session={session} />
          <span class="path" title={session.cwd}>
            {session.cwd}
          </span>
          {details === undefined ? null : <LiveFacts details={details} />}
        </p>
      </div>
      <div class="view-actions">
        {conversation === undefined ? null : (
          <a class="button" href={conversation}>
            <Icon name="text" size={14} /> <span class="wide-only">Transcript</span>
          </a>
        )}
        {onSplit === undefined ? null : (
          <IconButton icon="split" label="Split terminal" class="wide-only" onClick={onSplit} />
        )}
        <IconButton icon="pencil" label="Rename" class="wide-only" onClick={() => rename(session)} />
        {alive ? (
          <>
            <IconButton
              icon="refresh"
              label="Restart"
              onClick={() => {
                if (isConfirmed(`Restart “${title}”?`)) void attempt(() => api.restart(id));
              }}
            />
            <IconButton
              icon="stop"
              label="End"
              onClick={() => {
                if (isConfirmed(`End “${title}”?`)) void attempt(() => api.kill(id));
              }}
            />
          </>
        ) : null}
        <IconButton
          icon="close"
          label={alive ? "Close (the session keeps running)" : "Close"}
          onClick={() => go("/overview")}
        />
      </div>
    </header>
  );
}

function rename({ id, title }: MuxSession): void {
  const name = prompt("Session name (leave empty for default)", title);
  if (name !== null) void attempt(() => api.rename(id, name));
}

/** Branch and memory. */
function LiveFacts({ details }: { details: Details }): JSX.Element {
  const { git, usage, cost } = details.value.value ?? {};
  return (
    <>
      {git === undefined ? null : (
        <span class="fact">
          {git.branch}
          {git["dirty"] === true ? " •" : ""}
        </span>
      )}
      {cost === undefined || cost.kind === "unknown" ? null : (
        <span class="fact wide-only" title="What its conversation has cost so far">
          {money(cost.totalUsd)}
        </span>
      )}
      {usage === undefined ? null : <span class="fact wide-only">{bytes(usage.rss_bytes)}</span>}
    </>
  );
}
