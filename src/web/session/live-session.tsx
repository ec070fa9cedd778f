/** A running session with all its terminals side by side. */
import { computed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { api } from "../state/api.ts";
import { KeyBar } from "../terminal/key-bar.tsx";
import type { TerminalScreen } from "../terminal/screen.ts";
import { TerminalPane } from "../terminal/terminal-pane.tsx";
import { keysBeside } from "../state/beside.ts";
import { shownId } from "../state/selection.ts";
import { IconButton } from "../ui/button.tsx";
import { attempt } from "../ui/notices.ts";
import { lazy } from "../ui/lazy.tsx";
import { SplitPanes } from "../ui/split-panes.tsx";
import { useDetails, type Details } from "./details.ts";
import { SessionHeader } from "./session-header.tsx";
import { talksFirst, talkingId } from "./talk.ts";
import { ChangesView, tabsOf, ViewTabs, type Tab } from "./view-tabs.tsx";

/** Only phones show it. */
const TalkView = lazy(async () => (await import("./talk-view.tsx")).TalkView);

/** The terminal that every session has. */
const MAIN = "pty-1";

const TABS: readonly Tab[] = [
  ["", "Terminal"],
  ["changes", "Changes"],
];
const TALK_TABS: readonly Tab[] = [["", "Messages"], ["terminal", "Terminal"], TABS[1]!];

export interface LiveSessionProps {
  session: MuxSession;
  /** Closes only this one of several. */
  onClose?: () => void;
}

export function LiveSession({ session, onClose }: LiveSessionProps): JSX.Element {
  const details = useDetails(session);
  const { id } = session;
  const tabs = tabsOf(talksFirst(session) ? TALK_TABS : TABS, onClose === undefined ? undefined : id);
  const split = (): void =>
    void attempt(async () => {
      await api.openTerminal(id);
      details.look();
    });
  return (
    <article class="session" aria-label={session.title}>
      <SessionHeader
        session={session}
        details={details}
        onSplit={split}
        tabs={tabs}
        {...(onClose === undefined ? {} : { onClose })}
      />
      <ViewTabs tabs={tabs} isBelow />
      {tabs.shown === "changes" ? (
        <ChangesView target={{ id }} isMain={onClose === undefined} />
      ) : talkingId.value === id ? (
        <TalkView session={session} />
      ) : (
        <LiveTerminals id={id} details={details} />
      )}
    </article>
  );
}

function LiveTerminals({ id, details }: { id: string; details: Details }): JSX.Element {
  // A string, so that it changes only if a terminal is added or removed.
  const running = useMemo(
    () =>
      computed(() => {
        const { terminals = [] } = details.value.value ?? {};
        return terminals
          .filter((terminal) => terminal["exit_code"] == null)
          .map((terminal) => terminal.id)
          .join(" ");
      }),
    [details],
  );
  const found = running.value.split(" ").filter(Boolean);
  // Until the details arrive, only the main terminal is known.
  const shown = found.length === 0 ? [MAIN] : found;
  const open = useSignal<readonly TerminalScreen[]>([]);
  const isFocused = (keysBeside.value ?? shownId.value) === id;
  const panes = shown.map((pty) => ({
    key: pty,
    content: (
      <>
        <TerminalPane
          id={id}
          pty={pty === MAIN ? undefined : pty}
          open={open}
          takesFocus={isFocused && pty === shown.at(-1)}
          onEnd={() => details.lookSoon()}
        />
        {shown.length > 1 && pty !== MAIN ? (
          <IconButton
            icon="close"
            label="End this terminal"
            class="cell-close"
            onClick={() =>
              void attempt(async () => {
                await api.endTerminal(id, pty);
                details.look();
              })
            }
          />
        ) : null}
      </>
    ),
  }));
  return (
    <>
      <SplitPanes name="terminals" cell="terminal-cell" panes={panes} />
      <KeyBar screen={open.value[0] ?? null} />
    </>
  );
}
