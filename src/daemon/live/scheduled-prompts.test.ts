import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { acquireLock } from "../../lib/process/process-lock.ts";
import { ensurePrivateDirectory } from "../../lib/fs/private-directory.ts";
import { sessionFiles } from "../../protocol/session-files.ts";
import { readQueue } from "../../status/queue/queue-file.ts";
import { readSchedule, writeSchedule } from "../../status/queue/schedule-file.ts";
import { ScheduledPrompts } from "./scheduled-prompts.ts";

const NOW = Date.parse("2026-11-17T09:00:00Z");
const DAY_MS = 86_400_000;
const REQUEST = { agent: "claude", cwd: "/tmp", text: "triage" };

class Machine {
  readonly home = mkdtempSync(join(tmpdir(), "amux-scheduled-"));
  readonly launched: string[] = [];
  readonly problems: string[] = [];
  resetAt: number | undefined;
  waiting = 0;

  constructor() {
    onTestFinished(() => rmSync(this.home, { recursive: true, force: true }));
  }

  /** A daemon of its own: nothing but the disk is common. `fault` happens before or after the start. */
  daemon(fault?: "before" | "after" | "refused"): ScheduledPrompts {
    return new ScheduledPrompts({
      places: { home: this.home },
      launch: async (_, id) => {
        if (fault === "before") return new Promise(() => undefined);
        if (fault === "refused") throw new Error("claude is not installed.");
        this.launched.push(id);
        writeFileSync(sessionFiles({ home: this.home }, id).meta, "{}");
        return fault === "after" ? new Promise(() => undefined) : undefined;
      },
      check: () => Promise.resolve(),
      nextReset: (agent) => ({ at: this.resetAt, of: agent }),
      onWaiting: () => this.waiting++,
      onProblem: (what) => this.problems.push(what),
    });
  }

  /** As its runner does before it writes anything. */
  lock(session: string): void {
    const { lock } = sessionFiles({ home: this.home }, session);
    ensurePrivateDirectory(dirname(lock));
    acquireLock(lock);
  }

  get session(): string {
    return readSchedule(this.home)[0]?.session ?? "";
  }
}

it("puts the prompt into the queue of the session that it starts", async () => {
  const machine = new Machine();
  const daemon = machine.daemon();
  await daemon.add({ ...REQUEST, when: new Date(NOW).toISOString() }, NOW);
  await daemon.look(NOW);
  await daemon.look(NOW + 1000);
  expect(machine.launched).toEqual([machine.session]);
  expect(daemon.list(NOW)).toMatchObject([{ state: "delivered", session: machine.session }]);
  const { queue } = sessionFiles({ home: machine.home }, machine.session);
  expect(readQueue(queue).items).toMatchObject([{ text: "triage", when: "idle", state: "queued" }]);
});

it("is looked at when the user makes it due", async () => {
  const machine = new Machine();
  const daemon = machine.daemon();
  const { id } = await daemon.add({ ...REQUEST, when: new Date(NOW + DAY_MS).toISOString() }, NOW);
  machine.waiting = 0;
  daemon.change({ item: id, when: new Date(NOW).toISOString() }, NOW);
  expect(machine.waiting).toBe(1);
});

it.each(["before", "after"] as const)("starts it once if the daemon is killed %s the start", async (fault) => {
  const machine = new Machine();
  const killed = machine.daemon(fault);
  await killed.add({ ...REQUEST, when: new Date(NOW).toISOString() }, NOW);
  void killed.look(NOW);
  await expect.poll(() => machine.session).not.toBe("");
  await expect.poll(() => existsSync(sessionFiles({ home: machine.home }, machine.session).queue)).toBe(true);
  const { session } = machine;
  const next = machine.daemon();
  await next.look(NOW + 60_000);
  expect(machine.launched).toEqual([session]);
  expect(next.list(NOW)).toMatchObject([{ state: "delivered", session }]);
});

it("holds one that cannot be started, and says why", async () => {
  const machine = new Machine();
  const daemon = machine.daemon("refused");
  await daemon.add({ ...REQUEST, when: new Date(NOW).toISOString() }, NOW);
  await daemon.look(NOW);
  expect(daemon.list(NOW)).toMatchObject([{ state: "held", note: "Not started: claude is not installed." }]);
  expect(existsSync(sessionFiles({ home: machine.home }, machine.session).directory)).toBe(false);
});

it("starts one that repeats once for each date, in a session of its own", async () => {
  const machine = new Machine();
  const daemon = machine.daemon();
  await daemon.add({ ...REQUEST, when: "daily 12:00" }, NOW);
  for (let hour = 0; hour < 48; hour++) await daemon.look(NOW + hour * 3_600_000);
  expect(machine.launched).toHaveLength(2);
  expect(new Set(machine.launched).size).toBe(2);
  expect(daemon.list(NOW)).toMatchObject([{ state: "queued" }]);
});

it("the prompt of a session that was started has another id than the schedule, which goes on", async () => {
  const machine = new Machine();
  const daemon = machine.daemon();
  const { id } = await daemon.add({ ...REQUEST, when: "daily 12:00" }, NOW);
  await daemon.look(NOW + DAY_MS);
  const { queue } = sessionFiles({ home: machine.home }, machine.session);
  expect(readQueue(queue).items.map((item) => item.id)).toEqual([expect.not.stringMatching(id)]);
});

it("one that repeats is not given up after a failed start: it says so and waits for the next date", async () => {
  const machine = new Machine();
  const failing = machine.daemon("refused");
  await failing.add({ ...REQUEST, when: "daily 12:00" }, NOW);
  for (const later of [0, 1000]) await failing.look(NOW + DAY_MS + later);
  expect(failing.list(NOW)).toMatchObject([
    { state: "queued", note: expect.stringMatching(/^Not started on 2026-11-1\d: claude is not installed\.$/) },
  ]);
  const daemon = machine.daemon();
  await daemon.look(NOW + DAY_MS + 2000);
  expect(machine.launched).toEqual([]);
  await daemon.look(NOW + 2 * DAY_MS);
  expect(machine.launched).toHaveLength(1);
  expect(daemon.list(NOW)[0]).not.toHaveProperty("note");
});

it("one that cannot be looked at does not stop those after it", async () => {
  const machine = new Machine();
  const daemon = machine.daemon();
  for (let count = 0; count < 2; count++) await daemon.add({ ...REQUEST, when: new Date(NOW).toISOString() }, NOW);
  const [first, second] = readSchedule(machine.home);
  // A file has its directory's name.
  const { directory } = sessionFiles({ home: machine.home }, "sess-00000001");
  ensurePrivateDirectory(dirname(directory));
  writeFileSync(directory, "");
  writeSchedule(machine.home, [{ ...first!, state: "delivering", session: "sess-00000001" }, second!]);
  await daemon.look(NOW);
  expect(machine.launched).toHaveLength(1);
  expect(machine.problems).toEqual([`the scheduled prompt ${first!.id}`]);
});

it("the directory of a session that another daemon is starting is not removed", async () => {
  const machine = new Machine();
  const killed = machine.daemon("before");
  await killed.add({ ...REQUEST, when: new Date(NOW).toISOString() }, NOW);
  void killed.look(NOW);
  await expect.poll(() => machine.session).not.toBe("");
  const { session } = machine;
  machine.lock(session);
  await machine.daemon("refused").look(NOW);
  const files = sessionFiles({ home: machine.home }, session);
  expect(existsSync(files.queue)).toBe(true);
  expect(machine.daemon().list(NOW)).toMatchObject([{ state: "delivering", session }]);
  writeFileSync(files.meta, "{}");
  await machine.daemon("refused").look(NOW);
  expect(machine.daemon().list(NOW)).toMatchObject([{ state: "delivered", session }]);
});

it("a schedule that nobody looks at does not start sessions without end", async () => {
  const machine = new Machine();
  const daemon = machine.daemon();
  await daemon.add({ ...REQUEST, when: "daily 12:00" }, NOW);
  for (let day = 1; day < 20; day++) {
    await daemon.look(NOW + day * DAY_MS);
    machine.lock(machine.session);
  }
  expect(machine.launched).toHaveLength(10);
  expect(daemon.list(NOW)).toMatchObject([
    { state: "queued", note: expect.stringContaining("10 sessions of this prompt still run. End some of them.") },
  ]);
});

it("the file of scheduled prompts does not grow without end", async () => {
  const machine = new Machine();
  const daemon = machine.daemon();
  const add = (when: string): Promise<unknown> => daemon.add({ ...REQUEST, when }, NOW);
  for (let count = 0; count < 21; count++) {
    await add(new Date(NOW).toISOString());
    await daemon.look(NOW);
  }
  expect(readSchedule(machine.home)).toHaveLength(20);
  for (let count = 0; count < 100; count++) await add("daily 12:00");
  await expect(add("daily 12:00")).rejects.toThrow("The queue is full");
});

it("lets sessions that wait for a reset begin one after the other", async () => {
  const machine = new Machine();
  machine.resetAt = NOW + 60_000;
  const daemon = machine.daemon();
  for (let count = 0; count < 3; count++) await daemon.add({ ...REQUEST, when: "reset" }, NOW);
  await daemon.look(NOW);
  expect(daemon.list(NOW).map(({ due_at }) => due_at)).toEqual([
    "2026-11-17T09:01:10.000Z",
    "2026-11-17T09:01:40.000Z",
    "2026-11-17T09:02:10.000Z",
  ]);
  await daemon.look(NOW + 75_000);
  expect(machine.launched).toHaveLength(1);
});
