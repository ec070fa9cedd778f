/** Connects meaningful OSC sequences to the emulator's parser, which handles any splitting of bytes. */
import type { Terminal } from "@xterm/headless";
import type { Notification } from "../protocol/runner-api.ts";
import type { Status } from "../protocol/status.ts";
import {
  NotificationAssembler,
  parseAgentStateOsc,
  parseOsc777,
  parseOsc9,
  parsePromptOsc,
  parseStatusOsc,
  type AgentState,
  type PromptMark,
} from "./osc.ts";

export interface ScreenReports {
  onStatus(status: Status | null): void;
  /** Null: the program cleared its state. */
  onAgentState(state: AgentState | null): void;
  onPrompt(mark: PromptMark): void;
  onNotification(notification: Notification): void;
  onReply(text: string): void;
}

/** Colours reported to programs, which choose a light or dark theme by them. */
const FOREGROUND = "rgb:e5e5/e5e5/e5e5";
const BACKGROUND = "rgb:0000/0000/0000";

export function registerReports(terminal: Terminal, reports: ScreenReports): void {
  const { parser } = terminal;
  /** Passes on what was understood; the sequence never reaches the screen. */
  const on = <T>(code: number, parse: (payload: string) => T | undefined, act: (value: T) => void): void => {
    parser.registerOscHandler(code, (payload) => {
      const value = parse(payload);
      if (value !== undefined) act(value);
      return true;
    });
  };
  on(7777, parseStatusOsc, (status) => reports.onStatus(status));
  on(7501, parseAgentStateOsc, (state) => reports.onAgentState(state));
  on(133, parsePromptOsc, (mark) => reports.onPrompt(mark));
  const assembler = new NotificationAssembler();
  on(9, parseOsc9, (notification) => reports.onNotification(notification));
  on(777, parseOsc777, (notification) => reports.onNotification(notification));
  on(
    99,
    (payload) => assembler.add(payload),
    (notification) => reports.onNotification(notification),
  );
  // Claude Code asks whether the terminal supports agent states, and waits for this answer or DA1's. Later registrations run
  // first; other payloads continue to the handler above.
  parser.registerOscHandler(7501, (payload) => answer(payload === "?", "\x1b]7501;?\x1b\\"));
  parser.registerOscHandler(10, (payload) => answer(payload === "?", `\x1b]10;${FOREGROUND}\x1b\\`));
  parser.registerOscHandler(11, (payload) => answer(payload === "?", `\x1b]11;${BACKGROUND}\x1b\\`));

  function answer(asked: boolean, text: string): boolean {
    if (asked) reports.onReply(text);
    return asked;
  }
}
