/** An ended session: its last screen, its exit state, and how to resume it. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { endedInError } from "../../protocol/session-end.ts";
import { resumesConversation, resumingId, runAgain } from "../state/selection.ts";
import { conversationPath } from "../state/route.ts";
import { TerminalScreen } from "../terminal/screen.ts";
import { terminalOptions } from "../terminal/terminal-pane.tsx";
import { Icon } from "../ui/icon.tsx";
import { attempt } from "../ui/notices.ts";
import { age, fullTime } from "../ui/times.ts";
import { dismiss } from "./session-actions.ts";

const DEFAULT_COLS = 80;
const DEFAULT_ROWS = 24;

export function EndedSession({ session }: { session: MuxSession }): JSX.Element {
  const isResuming = resumingId.value === session.id;
  const { exited_at } = session;
  const conversation = conversationPath(session);
  return (
    <div class="ended-session">
      <div class="banner">
        <span>
          {isResuming ? "Starting …" : endText(session)}
          {exited_at === undefined || isResuming ? null : <span title={fullTime(exited_at)}> · {age(exited_at)}</span>}
        </span>
        <span class="banner-actions">
          {session.resumable === true ? (
            <button
              type="button"
              class="primary"
              disabled={isResuming}
              title={session.command.join(" ")}
              onClick={() => void runAgain(session)}
            >
              <Icon name="play" size={14} />{" "}
              {isResuming ? "Starting …" : resumesConversation(session) ? "Resume" : "Run again"}
            </button>
          ) : null}
          {conversation === undefined ? null : (
            <a class="button" href={conversation}>
              <Icon name="text" size={14} /> Transcript
            </a>
          )}
          <button type="button" onClick={() => void dismiss(session)}>
            Dismiss
          </button>
        </span>
      </div>
      <LastScreen session={session} />
    </div>
  );
}

function endText(session: MuxSession): string {
  if (session.exit_code === undefined) return "Not running";
  return endedInError(session) ? `Exited (${session.exit_code})` : "Ended";
}

function LastScreen({ session }: { session: MuxSession }): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const isEmpty = useSignal(false);
  useEffect(() => {
    let screen: TerminalScreen | undefined;
    const leaving = new AbortController();
    const show = async (): Promise<void> => {
      const response = await fetch(`/v1/sessions/${session.id}/scrollback`, { signal: leaving.signal });
      const bytes = response.ok ? new Uint8Array(await response.arrayBuffer()) : new Uint8Array();
      if (bytes.length === 0 || leaving.signal.aborted) {
        isEmpty.value = true;
        return;
      }
      const opened = await TerminalScreen.open({
        element: element.current!,
        options: { ...terminalOptions(), disableStdin: true },
        events: { onState: nothing, onSize: nothing, onCopy: nothing, onLink: nothing },
      });
      if (leaving.signal.aborted) return opened.dispose();
      screen = opened;
      opened.replay(bytes, session.terminal_cols ?? DEFAULT_COLS, session.terminal_rows ?? DEFAULT_ROWS);
    };
    void attempt(show);
    return () => {
      leaving.abort();
      screen?.dispose();
    };
  }, [session.id]);
  return (
    <div class="last-screen">
      {isEmpty.value ? <p class="empty">No screen was saved.</p> : null}
      <div class="term-box larger" ref={element} role="group" aria-label="Last screen" />
    </div>
  );
}

function nothing(): void {
  // An ended session needs no attention.
}
