import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { sessionFiles } from "../../protocol/session-files.ts";
import { readQueue } from "../../status/queue/queue-file.ts";
import { readSchedule } from "../../status/queue/schedule-file.ts";
import { ScheduledPrompts } from "./scheduled-prompts.ts";

const NOW = Date.parse("2026-11-17T09:00:00Z");
const REQUEST = { agent: "claude", cwd: "/tmp", text: "triage" };

class Machine {
  readonly home = mkdtempSync(join(tmpdir(), "amux-scheduled-"));
  readonly launched: string[] = [];

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
      checkAgent: () => Promise.resolve(),
      resetAt: () => undefined,
      onWaiting: () => undefined,
    });
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
