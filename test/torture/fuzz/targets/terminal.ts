/** Output of programs: control sequences, and the reports in them. */
import { isDeepStrictEqual } from "node:util";
import { createEmulator } from "../../../../src/screen/emulator.ts";
import {
  cleanTitle,
  MAX_OSC_BYTES,
  NotificationAssembler,
  parseAgentStateOsc,
  parseOsc777,
  parseOsc9,
  parsePromptOsc,
  parseStatusOsc,
} from "../../../../src/screen/osc.ts";
import { Screen } from "../../../../src/screen/screen.ts";
import { SILENT_LISTENER } from "../../../../src/screen/silent-listener.ts";
import { terminalState } from "../../../runner/support/terminal-state.ts";
import type { Target } from "../target.ts";

const osc: Target = {
  name: "osc",
  short: 4000,
  seeds: () =>
    [
      '{"label":"Thinking","working":true}',
      "null",
      "state=blocked:app=codex:kind=permission:msg=TWF5IEk/",
      "D;130",
      "9;4;1;50",
      "notify;Title;Body",
      "i=1:d=0:p=title;Ti",
      "i=1:d=1:p=body:e=1;Qm9keQ==",
    ].map((text) => Buffer.from(text)),
  tokens: ["state=", "working", "msg=", "e=1", "p=body", "d=0", ";", ":", "=", '"label":', '"working":true'],
  run(input) {
    const payload = input.toString("latin1");
    const assembler = new NotificationAssembler();
    const texts = [
      cleanTitle(payload),
      parseStatusOsc(payload)?.label,
      parseAgentStateOsc(payload)?.message,
      parsePromptOsc(payload)?.mark,
      ...[parseOsc9(payload), parseOsc777(payload), assembler.add(payload), assembler.add(payload)].flatMap((found) =>
        found === undefined ? [] : [found.title, found.body],
      ),
    ];
    for (const text of texts) {
      if (text === undefined) continue;
      if (/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(text))
        throw new Error(`A control character came through: ${JSON.stringify(text)}`);
      if (text.length > MAX_OSC_BYTES) throw new Error("A text without a bound.");
    }
  },
};

const SEQUENCES = [
  ...["\x1b[2J", "\x1b[H", "\x1b[?1049h", "\x1b[?1049l", "\x1b[31;1m", "\x1b[38;2;1;2;3m", "\x1b[5;10r", "\x1b[?2026h"],
  ...["\x1b]0;t\x07", '\x1b]7777;{"label":"x"}\x1b\\', "\x1b]52;c;QQ==\x07", "\x1b]8;;http://x\x07", "\x1bP", "\x1b\\"],
  ...[
    "\x1b[999999999b",
    "\x1b[99999L",
    "\x1b[99999@",
    "\x1b[3J",
    "\x1bc",
    "\x1b[?6n",
    "\x1b[>q",
    "\x1b[=1u",
    "\x0e",
    "界",
  ],
];

const screen: Target = {
  name: "screen",
  short: 120,
  factor: 500,
  seeds: () => [
    Buffer.from("hello\r\nworld\x1b[31mred\x1b[m\r\n"),
    Buffer.from("\x1b[?1049h\x1b[2J\x1b[H┌──┐\r\n│界│\r\n└──┘\x1b[?25l"),
    Buffer.from(`${"line\r\n".repeat(60)}\x1b[10;3H\x1b[K\x1b]2;title\x07`),
  ],
  tokens: SEQUENCES,
  run(input) {
    const screen = new Screen(30, 8, 50, SILENT_LISTENER);
    const original = createEmulator(30, 8, 50);
    screen.feed(input);
    original.core._inputHandler.parse(input);
    const restored = createEmulator(30, 8, 50);
    restored.core._inputHandler.parse(Buffer.from(screen.picture().screen));
    const isWhole = screen.unapplied === 0;
    if (isWhole && !isDeepStrictEqual(terminalState(restored), terminalState(original)))
      throw new Error("A picture that restores another terminal.");
    screen.resize(2 + ((input[0] ?? 0) % 60), 1 + ((input[1] ?? 0) % 20));
    screen.feed(input);
    screen.picture();
  },
};

export const TERMINAL_TARGETS = [osc, screen];
