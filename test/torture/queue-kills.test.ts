/**
 * Real runners with a queue, killed with kill -9 at random points of a delivery, their agents with them. Whatever was accepted
 * arrived once, or waits, or is held; nothing arrived twice.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { StoredQueue } from "../../src/core/queue.ts";
import { AgentMuxError } from "../../src/core/errors.ts";
import { isRunning, startTimeOf } from "../../src/lib/process/processes.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { TEST_DEADLINE_MS } from "../support/deadline.ts";
import { waitFor } from "../support/wait-for.ts";
import { Random } from "./fuzz/random.ts";
import { figure, isLong, seed } from "./long-form.ts";

const AGENT = join(import.meta.dirname, "../status/support/turn-agent.mjs");
/** While a prompt is accepted; when it was; and, more often, while it is typed. */
const MOMENTS = 5;
const KILLS = isLong ? 200 : MOMENTS;
const SESSIONS = isLong ? 4 : 1;

class Victim {
  readonly accepted: string[] = [];
  /** Also those that were not accepted: a killed runner may have kept one. */
  private prompts = 0;
  private readonly home: TestHome;
  private readonly random: Random;
  private readonly transcript: string;
  private readonly command: string[];
  id = "";

  constructor(home: TestHome, number: number, random: Random) {
    this.home = home;
    this.random = random;
    this.transcript = join(home.home, `transcript-${number}.jsonl`);
    this.command = [process.execPath, AGENT, this.transcript, "50"];
  }

  async start(): Promise<void> {
    const { home, command, transcript } = this;
    const again = this.id === "" ? {} : { id: this.id };
    this.id = await home.client.spawn({ command, cwd: home.home, kind: "codex", ...again });
    const body = JSON.stringify({ title: "", transcript });
    await home.ask(this.id, { method: "PUT", path: "/conversation", body });
  }

  /** Counts as accepted only if the runner said so. */
  async add(text: string): Promise<void> {
    const body = JSON.stringify({ text });
    try {
      const { status } = await this.home.ask(this.id, { method: "POST", path: "/queue", body });
      if (status === 200) this.accepted.push(text);
    } catch (error) {
      if (!(error instanceof AgentMuxError)) throw error;
    }
  }

  /** A prompt that nobody disturbs. */
  async deliver(): Promise<void> {
    const text = `last prompt of ${this.id}`;
    await this.add(text);
    await waitFor("its delivery", () => this.arrived(text) > 0 && !this.isWaiting());
  }

  async killAt(moment: number): Promise<void> {
    const { runner_pid, pid } = await this.home.meta(this.id);
    const starts = [runner_pid, pid].map((each) => ({ pid: each, startTime: startTimeOf(each) ?? "" }));
    const adding = this.add(`prompt ${++this.prompts} of ${this.id}`);
    if (moment > 0) await adding;
    if (moment > 1) await waitFor("a delivery", () => this.read().includes('"delivering"') || !this.isWaiting());
    const ms = moment === 0 ? this.random.below(5) : this.random.below(moment > 1 ? 700 : 2500);
    await new Promise((resolve) => setTimeout(resolve, ms));
    process.kill(runner_pid, "SIGKILL");
    if (this.random.oneIn(2)) endIfRunning(pid);
    await adding;
    await waitFor("their end", () => starts.every((process) => !isRunning(process.pid, process.startTime)));
    await this.start();
  }

  get queue(): StoredQueue {
    return JSON.parse(this.read() || '{"items":[]}') as StoredQueue;
  }

  isWaiting(): boolean {
    return this.queue.items.some(({ state }) => state === "queued" || state === "delivering");
  }

  /** How often the agent got a text. */
  arrived(text: string): number {
    const lines = existsSync(this.transcript) ? readFileSync(this.transcript, "utf8").split("\n") : [];
    return lines.filter((line) => line.includes(JSON.stringify(text))).length;
  }

  private read(): string {
    const path = this.home.client.files(this.id).queue;
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  }
}

function endIfRunning(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The hang-up was faster.
  }
}

test(
  "real runners that are killed while they deliver lose no prompt and deliver none twice",
  { timeout: isLong ? 3_600_000 : TEST_DEADLINE_MS },
  async () => {
    const home = new TestHome();
    const random = new Random(seed);
    const victims = Array.from({ length: SESSIONS }, (_, number) => new Victim(home, number, random));
    await Promise.all(
      victims.map(async (victim) => {
        await victim.start();
        for (let kill = 0; kill < KILLS / SESSIONS; kill++) await victim.killAt(kill % MOMENTS);
        await victim.deliver();
      }),
    );
    const outcome = { kills: KILLS, prompts: 0, delivered: 0, held: 0, lost: 0, twice: 0 };
    for (const victim of victims) {
      const states = new Map(victim.queue.items.map(({ text, state }) => [text, state]));
      for (const text of victim.accepted) {
        const times = victim.arrived(text);
        const state = states.get(text) ?? "delivered";
        outcome.prompts++;
        if (times > 1) outcome.twice++;
        if (state === "delivered" && times === 0) outcome.lost++;
        if (state === "delivered") outcome.delivered++;
        if (state === "held") outcome.held++;
      }
    }
    figure("queue, real kills", outcome);
    expect([outcome.lost, outcome.twice, outcome.delivered + outcome.held]).toEqual([0, 0, outcome.prompts]);
    expect(outcome.delivered).toBeGreaterThanOrEqual(SESSIONS);
  },
);
