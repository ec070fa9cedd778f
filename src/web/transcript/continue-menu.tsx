/** The menu that continues from a message: fork there, or resume the conversation. It says why if neither works. */
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { MuxSession } from "../../protocol/mux-session.ts";
import type { Agent } from "../state/agents.ts";
import { api } from "../state/api.ts";
import { sessionPath } from "../state/route.ts";
import { awaitSession } from "../state/selection.ts";
import { attempt, tell } from "../ui/notices.ts";
import type { Message, Transcript } from "./transcript.ts";

/** The message, and the button that opened the menu. */
export interface ContinuePoint {
  index: number;
  role: Message["role"];
  button: DOMRect;
}

export interface ContinueMenuProps {
  transcript: Transcript;
  place: ContinuePoint;
  agent: Agent | undefined;
  live: MuxSession | undefined;
  onClose(): void;
}

const WIDTH_PX = 320;
const EDGE_PX = 8;

export function ContinueMenu({ transcript, place, agent, live, onClose }: ContinueMenuProps): JSX.Element {
  const { index, role, button } = place;
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current!;
    element.showPopover();
    const fits = button.bottom + element.offsetHeight + EDGE_PX < innerHeight;
    element.style.top = `${fits ? button.bottom + 2 : Math.max(EDGE_PX, button.top - element.offsetHeight - 2)}px`;
    element.style.left = `${Math.max(EDGE_PX, Math.min(button.left, innerWidth - WIDTH_PX - EDGE_PX))}px`;
    element.querySelector<HTMLElement>("button:enabled, a")?.focus();
  }, [place]);
  const isLast = transcript.isLastSpoken(index);
  const whyNot = whyNoFork(agent, index, role);
  const close = (act: () => void): void => {
    onClose();
    act();
  };
  const fork = (
    <button type="button" disabled={whyNot !== undefined} onClick={() => close(() => forkFrom(transcript, place))}>
      <strong>Fork from here</strong>
      <span class="muted">{whyNot ?? (role === "user" ? FORKS.prompt : FORKS.answer)}</span>
    </button>
  );
  const goOn =
    live === undefined ? (
      <button
        type="button"
        disabled={agent?.can_resume !== true}
        onClick={() => close(() => open(transcript, "resume"))}
      >
        <strong>{isLast ? "Resume from here" : "Resume"}</strong>
        <span class="muted">
          {isLast ? "This is the last message: continue the session" : "Continue the session from its end"}
        </span>
      </button>
    ) : (
      <a href={sessionPath(live.id)}>
        <strong>Terminal</strong>
        <span class="muted">It is running: open it</span>
      </a>
    );
  return (
    <div
      class="go-on"
      popover="auto"
      ref={box}
      role="group"
      aria-label={`Continue from message ${index}`}
      onToggle={(event) => {
        if (event.newState === "closed") onClose();
      }}
    >
      {isLast ? [goOn, fork] : [fork, goOn]}
    </div>
  );
}

const FORKS = {
  prompt: "New session that ends before this message, so that you can ask something else",
  answer: "New session with the conversation up to this message",
};

function whyNoFork(agent: Agent | undefined, index: number, role: Message["role"]): string | undefined {
  if (agent === undefined) return "Still loading what this agent can do.";
  if (role === "user" && index === 0) return "This is the first message: start a new session instead.";
  if (agent.can_fork_at === true) return undefined;
  return `${agent.display_name} cannot. ${agent.why_no_fork_at ?? ""}`;
}

/** Continues the whole conversation, or a copy of it. */
export function open({ unifiedId, peer }: Transcript, action: "resume" | "fork"): void {
  void attempt(async () => awaitSession((await api.open(unifiedId, action, peer)).session_id));
}

function forkFrom({ unifiedId, peer }: Transcript, { index, role }: ContinuePoint): void {
  void attempt(async () => {
    const { session_id, last_message: last = index } = await api.open(unifiedId, "fork", peer, index);
    awaitSession(session_id);
    if (last < (role === "user" ? index - 1 : index)) {
      tell(`The fork ends with message ${last}: later messages have tool calls without a result.`);
    }
  });
}

export function forkLabel({ display_name, can_fork }: Agent): string {
  return can_fork ? "Fork session" : `${display_name} cannot fork a conversation`;
}
