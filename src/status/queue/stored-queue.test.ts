import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { sessionFiles } from "../../protocol/session-files.ts";
import { writeQueue } from "./queue-file.ts";
import { actOnStored } from "./stored-queue.ts";

const NOW = Date.parse("2026-11-17T09:00:00Z");

it.each([
  [undefined, "The daemon resumes it"],
  ["killed", "nothing is sent before amux queue resume"],
  ["user", "nothing is sent before amux queue resume"],
] as const)("a prompt added to an ended session whose queue has the pause %j says what happens", (paused, note) => {
  const home = mkdtempSync(join(tmpdir(), "amux-stored-queue-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const files = sessionFiles({ home }, "sess-00000001");
  mkdirSync(files.directory, { recursive: true });
  writeQueue(files.queue, { items: [], ...(paused === undefined ? {} : { paused }) });
  const queue = actOnStored("sess-00000001", files, { kind: "add", request: { text: "go on" } }, NOW);
  expect(queue).toMatchObject({ paused: paused !== undefined, items: [{ note: expect.stringContaining(note) }] });
});
