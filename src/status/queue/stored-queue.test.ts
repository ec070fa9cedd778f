import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, uptime } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { sessionFiles, type SessionFiles } from "../../protocol/session-files.ts";
import { readQueue, writeQueue } from "./queue-file.ts";
import { actOnStored, pauseKilled, storedQueue } from "./stored-queue.ts";

const NOW = Date.parse("2026-11-17T09:00:00Z");

function storedFiles(): SessionFiles {
  const home = mkdtempSync(join(tmpdir(), "amux-stored-queue-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const files = sessionFiles({ home, socketDirectory: join(home, "sockets") }, "sess-00000001");
  mkdirSync(files.directory, { recursive: true });
  return files;
}

it.each([
  [undefined, "The daemon resumes it"],
  ["killed", "nothing is sent before amux queue resume"],
  ["user", "nothing is sent before amux queue resume"],
] as const)("a prompt added to an ended session whose queue has the pause %j says what happens", (paused, note) => {
  const files = storedFiles();
  writeQueue(files.queue, { items: [], ...(paused === undefined ? {} : { paused }) });
  const queue = actOnStored("sess-00000001", files, { kind: "add", request: { text: "go on" } }, NOW);
  expect(queue).toMatchObject({ paused: paused !== undefined, items: [{ note: expect.stringContaining(note) }] });
});

it.each([
  ["an unknown time", { when: "whenever" }],
  ["a time that depends on the day it is read", { when: "9:00" }],
  ["no date of its creation", { created_at: "never" }],
  ["a damaged date", { due_at: "soon" }],
  ["a damaged slot", { slot: "zzzz" }],
])("a queue file with %s is refused, and left as it is", (_, wrong) => {
  const files = storedFiles();
  const item = { id: "q-aaaaaa", text: "go", when: "idle", state: "queued", created_at: "2026-11-17T08:00:00.000Z" };
  writeFileSync(files.queue, JSON.stringify({ items: [{ ...item, ...wrong }] }));
  expect(() => readQueue(files.queue)).toThrow(/a time of q-aaaaaa is not valid. Repair or remove it/);
});

describe("a kill", () => {
  const items = [
    { id: "q-aaaaaa", text: "go", when: "idle", state: "queued" as const, created_at: "2026-11-17T08:00:00.000Z" },
  ];
  const note = (files: SessionFiles): string | undefined =>
    actOnStored("sess-00000001", files, { kind: "list" }, NOW).items[0]!.note;

  it("by a signal pauses the queue until the next boot: a machine that shuts down sends it too", () => {
    const files = storedFiles();
    writeQueue(files.queue, { paused: "killed", signal_at: new Date().toISOString(), items });
    expect(storedQueue(files).paused).toBe("killed");
    expect(note(files)).toContain("was killed");
    const beforeBoot = new Date(Date.now() - (uptime() + 60) * 1000).toISOString();
    writeQueue(files.queue, { paused: "killed", signal_at: beforeBoot, items });
    expect(storedQueue(files).paused).toBeUndefined();
    expect(note(files)).toContain("The daemon resumes it");
  });

  it("of a session that could not note it pauses its queue, also over a boot", () => {
    const files = storedFiles();
    writeQueue(files.queue, { items });
    pauseKilled(files);
    expect(readQueue(files.queue)).toEqual({ paused: "killed", items });
    writeQueue(files.queue, { paused: "killed", signal_at: new Date().toISOString(), items });
    pauseKilled(files);
    expect(readQueue(files.queue)).toEqual({ paused: "killed", items });
    writeQueue(files.queue, { paused: "user", items });
    pauseKilled(files);
    expect(readQueue(files.queue).paused).toBe("user");
  });

  it("of a session with a damaged queue is no error", () => {
    const files = storedFiles();
    writeFileSync(files.queue, "{");
    pauseKilled(files);
    expect(readFileSync(files.queue, "utf8")).toBe("{");
  });
});
