import { expect, it } from "vitest";
import type { Row } from "../data/row.ts";
import { MAIN_PTY } from "../layout/pane-id.ts";
import { cardsOf } from "./terminal-card.ts";

it("shows the command as it was typed, not the options that amux added for hooks", () => {
  const pty = { id: MAIN_PTY, command: ["claude", "--settings", '{"hooks":{}}'], cwd: "/work", exit_code: null };
  const meta = { command: ["claude", "--verbose"], ptys: [pty] };
  const row = { kind: "live", key: "sess-1", name: "claude", agent: "claude", cwd: "/work", known: { meta } };
  expect(cardsOf(row as unknown as Row)).toMatchObject([{ title: "claude", process: "claude --verbose" }]);
});
