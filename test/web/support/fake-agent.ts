/** Programs that write files like agents, installed under their names. */
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";

/** It has further arguments besides the session to copy. */
const FORKING = `#!/bin/sh
while [ "$1" != --fork ]; do shift; done
echo "fake pi forks:"
grep -o '"text":"[^"]*"' "$2"
exec sleep 600
`;

/** Takes each typed line as a prompt. */
const CLAUDE_OF_LINES = "daemon/support/fake-claude.mjs";
/** Takes a message of several lines as one, and has turns. */
export const CLAUDE_WITH_TURNS = "status/support/turn-agent.mjs";

/** A PATH with `claude`, and with a `pi` that prints which session it copies. */
export function pathWithFakeAgents(claude = CLAUDE_OF_LINES): string {
  const bin = mkdtempSync("/tmp/amux-w-bin-");
  copyFileSync(join(import.meta.dirname, "../..", claude), join(bin, "claude"));
  chmodSync(join(bin, "claude"), 0o755);
  writeFileSync(join(bin, "pi"), FORKING, { mode: 0o755 });
  afterAll(() => rmSync(bin, { recursive: true, force: true }));
  return `${bin}:${process.env["PATH"]}`;
}
