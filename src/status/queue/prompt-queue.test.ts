/**
 * A queue, its disk and an agent, all simulated, killed at random steps. A prompt that was accepted is never lost and never sent
 * twice: it arrived once, or it waits, or it is held.
 */
import { describe, expect, it } from "vitest";
import type { StoredPrompt, StoredQueue } from "../../core/queue.ts";
import { randomFrom } from "../../../test/support/seeded-random.ts";
import { figure, isLong, seed as firstSeed } from "../../../test/torture/long-form.ts";
import { afterAct } from "./changes.ts";
import { PromptQueue, UNKNOWN, type QueuePort, type Typed } from "./prompt-queue.ts";

const KILL_POINTS = isLong ? 100_000 : 1_500;

type Random = ReturnType<typeof randomFrom>;

class Killed extends Error {}

/** Everything that a kill -9 leaves, and what really happened. */
class World {
  disk = JSON.stringify({ items: [] });
  now = Date.parse("2026-11-17T08:00:00Z");
  transcript: string[] = [];
  /** How often the agent got each text. */
  readonly arrived = new Map<string, number>();
  readonly accepted = new Set<string>();
  kills = 0;

  get stored(): StoredQueue {
    return JSON.parse(this.disk) as StoredQueue;
  }
}

/** One process of the session with its agent. Every step can be its last. */
class Life implements QueuePort {
  readonly queue: PromptQueue;
  private readonly world: World;
  private readonly random: Random;
  private left: number;
  private unwritten: string[] = [];

  constructor(world: World, random: Random) {
    this.world = world;
    this.random = random;
    this.left = 1 + random(60);
    this.queue = new PromptQueue(this, world.stored);
  }

  /** Before and after everything that can be seen from outside. */
  step(): void {
    if (--this.left > 0) return;
    // An agent that is killed may have written what it got, or not.
    if (this.random(2) === 0) this.world.transcript.push(...this.unwritten);
    throw new Killed();
  }

  accept(text: string, when: string): void {
    this.queue.change((queue) => afterAct(queue, { kind: "add", request: { text, when } }, this.now()));
    this.world.accepted.add(text);
  }

  now(): number {
    return this.world.now;
  }

  save(queue: StoredQueue): void {
    this.step();
    if (this.random(40) === 0) throw new Error("ENOSPC");
    this.world.disk = JSON.stringify(queue);
    this.step();
  }

  obstacle(): string | undefined {
    this.step();
    return this.random(4) === 0 ? "The session is working." : undefined;
  }

  resetAt(): number | undefined {
    return this.random(3) === 0 ? this.world.now + 60_000 : undefined;
  }

  turnAfter(resetAt: number): number {
    this.step();
    return resetAt + 10_000;
  }

  mark(): { at: number; path: string; size: number } {
    this.step();
    return { at: this.now(), path: "transcript", size: this.world.transcript.length };
  }

  hasReceipt({ size = 0 }: { size?: number }, text: string): boolean {
    return this.world.transcript.slice(size).includes(text);
  }

  async type({ text }: StoredPrompt): Promise<Typed> {
    this.step();
    if (this.random(8) === 0) return { refused: "It asks something.", typed: false };
    this.step();
    await Promise.resolve();
    if (this.random(12) === 0) return { refused: "A question appeared.", typed: true };
    this.step();
    const isTaken = this.random(10) > 0;
    if (isTaken) this.world.arrived.set(text, (this.world.arrived.get(text) ?? 0) + 1);
    if (isTaken && this.random(3) > 0) this.unwritten.push(text);
    this.step();
    // What the screen says is not always what happened, but it never makes up a taken prompt.
    return { taken: isTaken && this.random(6) > 0 ? "delivered" : "not_taken" };
  }

  async pause(ms: number): Promise<void> {
    // A long wait is one step among others.
    if (this.random(16) === 0) this.step();
    this.world.now += ms;
    if (this.random(2) === 0) this.world.transcript.push(...this.unwritten.splice(0));
    await Promise.resolve();
  }

  onChange(): void {
    this.step();
  }
}

async function live(world: World, random: Random, looks: number): Promise<void> {
  const life = new Life(world, random);
  for (let look = 0; look < looks; look++) {
    world.now += random(120_000);
    try {
      if (random(3) === 0)
        life.accept(`prompt ${world.accepted.size} of ${world.kills}.${look}`, random(4) === 0 ? "reset" : "idle");
      await life.queue.look();
    } catch (error) {
      if (error instanceof Killed) return void world.kills++;
      if ((error as Error).message !== "ENOSPC") throw error;
    }
  }
}

/** `expect` would take most of the time. */
function check({ stored, arrived, accepted }: World): void {
  const byText = new Map(stored.items.map((item) => [item.text, item]));
  for (const [text, times] of arrived) if (times > 1) throw new Error(`${text} arrived ${times} times`);
  for (const text of accepted) {
    const state = byText.get(text)?.state;
    const times = arrived.get(text) ?? 0;
    // Old delivered ones are dropped from the file.
    if ((state ?? "delivered") === "delivered" && times === 0) throw new Error(`${text} is lost`);
    if (state === "queued" && times > 0) throw new Error(`${text} arrived and would be sent again`);
  }
}

describe("a killed queue", () => {
  it(`loses no prompt and delivers none twice, over ${KILL_POINTS} kill points`, async () => {
    const total = { kills: 0, prompts: 0, delivered: 0, held: 0, waiting: 0 };
    for (let seed = firstSeed; total.kills < KILL_POINTS; seed++) {
      const random = randomFrom(1 + seed * 7919);
      const world = new World();
      try {
        for (let lives = 0; lives < 12; lives++) {
          await live(world, random, 6);
          check(world);
        }
      } catch (error) {
        throw new Error(`Seed ${seed}`, { cause: error });
      }
      total.kills += world.kills;
      total.prompts += world.accepted.size;
      for (const { state } of world.stored.items) {
        if (state === "held") total.held++;
        if (state === "queued") total.waiting++;
      }
      total.delivered += world.arrived.size;
    }
    figure("queue, simulated", { ...total, lost: 0, twice: 0 });
    // The simulation reaches every state, or it would show nothing.
    expect(Math.min(total.delivered, total.held, total.waiting)).toBeGreaterThan(100);
  });

  it("holds a prompt whose receipt is missing, and takes a late one", async () => {
    const random = randomFrom(1);
    const world = new World();
    const mark = { at: world.now, path: "transcript", size: 0 };
    const item: StoredPrompt = { id: "q-1", text: "go on", when: "idle", state: "delivering", created_at: "", mark };
    world.disk = JSON.stringify({ items: [item] });
    const life = new Life(world, random);
    life.step = () => undefined;
    await life.queue.look();
    expect(world.stored.items).toMatchObject([{ state: "held", note: UNKNOWN }]);
    await life.queue.look();
    expect(world.arrived.size).toBe(0);
    world.transcript.push("go on");
    await life.queue.look();
    expect(world.stored.items).toMatchObject([{ state: "delivered", receipt: "transcript" }]);
  });
});

describe("a clock that was weeks ahead and is set back", () => {
  const WEEKS_MS = 21 * 86_400_000;

  class Calm extends Life {
    refusals = 0;
    override step(): void {}
    override save(queue: StoredQueue): void {
      this.own.disk = JSON.stringify(queue);
    }
    override obstacle(): undefined {}
    override async type(prompt: StoredPrompt): Promise<Typed> {
      if (this.refusals-- > 0) return { refused: "It asks something.", typed: false };
      this.own.transcript.push(prompt.text);
      return { taken: "delivered" };
    }
    private readonly own: World;
    constructor(world: World) {
      super(world, randomFrom(1));
      this.own = world;
    }
  }

  it("does not make a prompt wait that could not be typed", async () => {
    const world = new World();
    const life = new Calm(world);
    life.accept("go on", "idle");
    world.now += WEEKS_MS;
    life.refusals = 1;
    await life.queue.look();
    expect(world.transcript).toEqual([]);
    world.now -= WEEKS_MS;
    await life.queue.look();
    expect(world.transcript).toEqual(["go on"]);
  });

  it("neither repeats a day's prompt nor stops the next days'", async () => {
    const world = new World();
    const life = new Calm(world);
    world.now = new Date(2026, 10, 17, 8).getTime();
    life.accept("run the tests", "daily 9:00");
    const lookAt = async (day: number, hour: number): Promise<number> => {
      world.now = new Date(2026, 10, day, hour).getTime();
      await life.queue.look();
      return world.transcript.length;
    };
    expect(await lookAt(17, 10)).toBe(1);
    expect(await lookAt(38, 10)).toBe(2);
    expect(await lookAt(17, 11)).toBe(2);
    expect(await lookAt(18, 10)).toBe(3);
    expect(await lookAt(19, 10)).toBe(4);
  });
});
