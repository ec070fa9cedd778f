import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { StoredPrompt, StoredQueue } from "../../core/queue.ts";
import { acquireLock } from "../../lib/process/process-lock.ts";
import { sessionFiles } from "../../protocol/session-files.ts";
import { readQueue, writeQueue } from "../../status/queue/queue-file.ts";
import type { SessionStore } from "../store/store.ts";
import { QueueWaker } from "./queue-waker.ts";

const NOW = Date.parse("2026-11-17T09:00:00Z");

const prompt = (fields: Partial<StoredPrompt> = {}): StoredPrompt => ({
  id: "q-000001",
  text: "go on",
  when: "idle",
  state: "queued",
  created_at: "2026-11-17T08:00:00.000Z",
  ...fields,
});

class Machine {
  readonly home = mkdtempSync(join(tmpdir(), "amux-waker-"));
  readonly resumed: string[] = [];
  readonly waker: QueueWaker;
  readonly ids: string[] = [];
  readonly accounts = new Map<string, string>();
  readonly counts = new Map<string, object>();

  constructor(resume: () => Promise<unknown> = () => Promise.resolve()) {
    onTestFinished(() => rmSync(this.home, { recursive: true, force: true }));
    const records = (): object[] =>
      this.ids.map((id) => ({ id, kind: "claude", alive: false, queued: 1, resume_key: this.accounts.get(id) }));
    const upsert = (_: string, id: string, counts: object): void => void this.counts.set(id, counts);
    this.waker = new QueueWaker({
      places: { home: this.home },
      store: { records, upsert } as unknown as SessionStore,
      resumes: {
        resume: async (id) => {
          this.resumed.push(id);
          await resume();
          return { session_id: id, pid: 1 };
        },
      },
      nextReset: (agent, session) => ({ at: NOW + 60_000, of: `${agent} ${session ?? ""}` }),
      onProblem: () => undefined,
    });
  }

  session(id: string, queue: StoredQueue): void {
    const files = sessionFiles({ home: this.home }, id);
    mkdirSync(files.directory, { recursive: true });
    writeQueue(files.queue, queue);
    this.ids.push(id);
  }

  prompts(id: string): StoredPrompt[] {
    return readQueue(sessionFiles({ home: this.home }, id).queue).items;
  }
}

it("resumes a session for a prompt that is due, one session at a look", async () => {
  const machine = new Machine();
  machine.session("sess-00000001", { items: [prompt({ when: "2026-11-17T10:00:00.000Z" })] });
  machine.session("sess-00000002", { items: [prompt()] });
  machine.session("sess-00000003", { items: [prompt()] });
  await machine.waker.look(NOW);
  expect(machine.resumed).toEqual(["sess-00000002"]);
  expect(machine.prompts("sess-00000002")).toMatchObject([{ state: "queued", wakes: 1 }]);
});

it.each([
  ["paused by the user", { paused: "user", items: [prompt()] }],
  ["of a session that was killed", { paused: "killed", items: [prompt()] }],
  ["with a paused prompt", { items: [prompt({ paused: true })] }],
  ["with a held prompt", { items: [prompt({ state: "held" })] }],
] as [string, StoredQueue][])("resumes nothing for a queue %s", async (_, queue) => {
  const machine = new Machine();
  machine.session("sess-00000001", queue);
  await machine.waker.look(NOW);
  expect(machine.resumed).toEqual([]);
});

it("holds a prompt whose session could not be resumed three times, and says why", async () => {
  const machine = new Machine(() => Promise.reject(new Error("The directory is gone.")));
  machine.session("sess-00000001", { items: [prompt()] });
  for (let minute = 0; minute < 10; minute++) await machine.waker.look(NOW + minute * 60_000);
  expect(machine.resumed).toHaveLength(3);
  expect(machine.prompts("sess-00000001")).toMatchObject([
    { state: "held", note: "Not sent: the session was resumed 3 times. The directory is gone." },
  ]);
  expect(machine.counts.get("sess-00000001")).toEqual({ queued: 0, queue_held: 1 });
});

it("lets sessions of one account begin one after the other after a reset", async () => {
  const machine = new Machine();
  const ids = ["sess-00000001", "sess-00000002", "sess-00000003"];
  for (const id of ids) machine.session(id, { items: [prompt({ when: "reset" })] });
  await machine.waker.look(NOW);
  expect(ids.map((id) => machine.prompts(id)[0]?.due_at)).toEqual([
    "2026-11-17T09:01:10.000Z",
    "2026-11-17T09:01:40.000Z",
    "2026-11-17T09:02:10.000Z",
  ]);
  expect(machine.resumed).toEqual([]);
});

it("does not use up its three tries within half a minute", async () => {
  const machine = new Machine(() => Promise.reject(new Error("The drive is not mounted.")));
  machine.session("sess-00000001", { items: [prompt()] });
  for (let seconds = 0; seconds < 170; seconds += 10) await machine.waker.look(NOW + seconds * 1000);
  expect(machine.resumed).toHaveLength(2);
  expect(machine.prompts("sess-00000001")).toMatchObject([{ state: "queued", note: "The drive is not mounted." }]);
});

it("a long reason does not make the queue unreadable", async () => {
  const machine = new Machine(() => Promise.reject(new Error("x".repeat(5000))));
  machine.session("sess-00000001", { items: [prompt()] });
  for (let minute = 0; minute < 10; minute++) await machine.waker.look(NOW + minute * 60_000);
  expect(machine.prompts("sess-00000001")).toMatchObject([{ state: "held" }]);
});

it("does not let sessions of different accounts wait for each other", async () => {
  const machine = new Machine();
  const ids = ["sess-00000001", "sess-00000002", "sess-00000003"];
  for (const id of ids) machine.session(id, { items: [prompt({ when: "reset" })] });
  for (const [at, id] of ids.entries()) machine.accounts.set(id, at === 1 ? "home" : "work");
  await machine.waker.look(NOW);
  expect(ids.map((id) => machine.prompts(id)[0]?.due_at)).toEqual([
    "2026-11-17T09:01:10.000Z",
    "2026-11-17T09:01:10.000Z",
    "2026-11-17T09:01:40.000Z",
  ]);
});

it("resumes a session as soon as its last runner has gone", async () => {
  const machine = new Machine();
  machine.session("sess-00000001", { items: [prompt()] });
  const { lock } = sessionFiles({ home: machine.home }, "sess-00000001");
  mkdirSync(dirname(lock), { recursive: true });
  const runner = acquireLock(lock);
  await machine.waker.look(NOW);
  expect(machine.resumed).toEqual([]);
  runner?.release();
  await expect.poll(() => machine.resumed).toEqual(["sess-00000001"]);
});

it("sees a prompt that is queued while another session is resumed", async () => {
  const looks: Promise<void>[] = [];
  const machine = new Machine(() => {
    if (looks.length > 0) return Promise.resolve();
    machine.session("sess-00000002", { items: [prompt()] });
    looks.push(machine.waker.look(NOW));
    return Promise.resolve();
  });
  machine.session("sess-00000001", { items: [prompt()] });
  await machine.waker.look(NOW);
  await Promise.all(looks);
  expect(machine.resumed).toEqual(["sess-00000001", "sess-00000002"]);
});
