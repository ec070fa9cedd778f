/** Above a session: what it is, where it runs, what can be done with it. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { SessionDetails } from "../../protocol/daemon-api.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { api } from "../state/api.ts";
import { go, transcriptPath } from "../state/route.ts";
import { AgentBadge } from "../ui/agent-badge.tsx";
import { IconButton } from "../ui/button.tsx";
import { bytes } from "../ui/figures.ts";
import { Icon } from "../ui/icon.tsx";
import { attempt } from "../ui/notices.ts";

const LOOK_EVERY_MS = 15_000;

export function SessionHeader({ session }: { session: MuxSession }): JSX.Element {
  const { id, alive, kind, resume_key, title } = session;
  return (
    <header class="view-head">
      <a class="icon-button only-phone" href="/sessions" aria-label="All sessions">
        <Icon name="back" />
      </a>
      <div class="view-title">
        <h1>{title}</h1>
        <p class="view-line">
          <AgentBadge agent={kind} />
          <span class="path" title={session.cwd}>
            {session.cwd}
          </span>
          {alive ? <LiveFacts id={id} /> : null}
        </p>
      </div>
      <div class="view-actions">
        {resume_key === undefined ? null : (
          <a class="button" href={transcriptPath(`${kind}:${resume_key}`)}>
            <Icon name="text" size={14} /> <span class="wide-only">Transcript</span>
          </a>
        )}
        <IconButton icon="more" label="Rename" class="wide-only" onClick={() => rename(session)} />
        {alive ? (
          <>
            <IconButton
              icon="refresh"
              label="Restart"
              onClick={() => {
                if (confirm(`Restart “${title}”?`)) void attempt(() => api.restart(id));
              }}
            />
            <IconButton
              icon="stop"
              label="End"
              onClick={() => {
                if (confirm(`End “${title}”?`)) void attempt(() => api.kill(id));
              }}
            />
          </>
        ) : null}
        <IconButton
          icon="close"
          label={alive ? "Detach (the session goes on)" : "Close"}
          onClick={() => go("/overview")}
        />
      </div>
    </header>
  );
}

function rename({ id, title }: MuxSession): void {
  const name = prompt("Name of this session (empty for its own)", title);
  if (name !== null) void attempt(() => api.rename(id, name));
}

/** Branch and memory: looked up now and then, while somebody looks. */
function LiveFacts({ id }: { id: string }): JSX.Element | null {
  const facts = useSignal<SessionDetails | null>(null);
  useEffect(() => {
    let left = false;
    const look = (): void => {
      if (document.hidden) return;
      api.details(id).then(
        (details) => {
          if (!left) facts.value = details;
        },
        () => undefined, // The row tells when it is gone.
      );
    };
    look();
    const timer = setInterval(look, LOOK_EVERY_MS);
    return () => {
      left = true;
      clearInterval(timer);
    };
  }, [id]);
  const { git, usage } = facts.value ?? {};
  return (
    <>
      {git === undefined ? null : (
        <span class="fact">
          {git.branch}
          {git["dirty"] === true ? " •" : ""}
        </span>
      )}
      {usage === undefined ? null : <span class="fact wide-only">{bytes(usage.rss_bytes)}</span>}
    </>
  );
}
