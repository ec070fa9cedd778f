/**
 * Like `transitions`, but nothing waits: launches, exits, scans, resumes and daemon kills overlap in a seeded order. In the end
 * each process, command and conversation has exactly one row.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SessionReviver } from "../../src/daemon/actions/session-reviver.ts";
import { SessionCore } from "../../src/daemon/session-core.ts";
import { SeededRandom } from "./support/seeded-random.ts";
import { SimulatedMachine } from "./support/simulated-machine.ts";
import { SlowMachine } from "./support/slow-machine.ts";
import { isLong } from "../torture/long-form.ts";

const RUNS = isLong ? 150 : 60;
const STEPS = 80;
const KEYS = ["k1", "k2", "k3"];

class Life {
  readonly runners: SlowMachine;
  readonly core: SessionCore;
  readonly resumes: SessionReviver;

  constructor(machine: SimulatedMachine) {
    this.runners = new SlowMachine(machine);
    this.core = new SessionCore({
      runners: this.runners,
      notes: machine.notes(),
      currentRunner: undefined,
      onArrival: () => undefined,
      onEvent: () => undefined,
      onUnclear: (found) => this.core.seenOnNoScreen(found),
      onWritten: () => undefined,
      isElsewhere: () => false,
    });
    const { store, register, ends, dismissed } = this.core;
    const launcher = {
      start: async (request: Parameters<SimulatedMachine["start"]>[0]) => {
        await this.runners.start(request);
        await register.register(request.id);
        return { session_id: request.id, pid: 1 };
      },
      checkDirectory: () => undefined,
    };
    this.resumes = new SessionReviver(store, register, launcher as never, ends, dismissed);
  }
}

class Story {
  readonly machine = new SimulatedMachine();
  readonly log: string[] = [];
  /** What must never happen, in any order. */
  readonly faults: string[] = [];
  life: Life;
  readonly #random: SeededRandom;
  #launched = 0;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
    this.life = new Life(this.machine);
    this.#begin("look", () => this.life.core.discovery.look());
  }

  async tell(steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) {
      const { waiting } = this.life.runners;
      if (waiting > 0 && this.#random.chance(0.6)) {
        this.log.push(".");
        this.life.runners.arrive(this.#random.below(waiting));
      } else this.#act();
      await breath();
    }
    await this.#settle();
  }

  /** Waits until everything has arrived and the daemon has scanned again. */
  async #settle(): Promise<void> {
    for (let round = 0; round < 4; round++) {
      this.#begin("look", () => this.life.core.discovery.look());
      for (let turns = 0; turns < 500; turns++) {
        this.life.runners.arrive(0);
        await breath();
        if (this.life.runners.waiting === 0) await vi.advanceTimersByTimeAsync(60);
        if (this.life.runners.waiting === 0) break;
      }
      this.life.core.scanner.scan();
    }
  }

  /** Starts something without waiting for it. */
  #begin(name: string, act: () => unknown): void {
    this.log.push(name);
    void (async () => act())().catch((error: unknown) => {
      const { message } = error as Error;
      // A click on a session that is gone is refused, nothing else.
      if (!/There is no session|does not end/.test(message)) this.faults.push(message);
    });
  }

  #act(): void {
    const [name, act] = this.#random.pick(this.#possible());
    this.#begin(name, act);
  }

  #possible(): [string, () => unknown][] {
    const { machine } = this;
    const { core, resumes } = this.life;
    const acts: [string, () => unknown][] = [
      ["launch", () => this.#launch()],
      ["register", () => Promise.all(machine.sockets().map((id) => core.register.register(id)))],
      ["look", () => core.discovery.look()],
      ["scan", () => core.scanner.scan()],
      ["write outside", () => core.filesNews(this.#talk(this.#random.pick(KEYS)))],
      ["kill -9", () => this.#restart()],
    ];
    const running = [...machine.running.keys()];
    if (running.length > 0) {
      const id = this.#random.pick(running);
      acts.push(
        [`status ${id}`, () => machine.say(id, { name: "status", data: { label: "", working: true } })],
        [`exit ${id}`, () => machine.exit(id, this.#random.below(2))],
        [`crash ${id}`, () => machine.crash(id)],
        [`converse ${id}`, () => this.#converse(id)],
      );
    }
    const rows = core.store.list();
    if (rows.length > 0) {
      const { id } = this.#random.pick(rows);
      acts.push(
        [`resume ${id}`, () => Promise.all([resumes.resume(id), resumes.resume(id)])],
        [`restart ${id}`, () => resumes.restart(id)],
        [`dismiss ${id}`, () => core.ends.dismiss(id)],
        [`kill ${id}`, () => core.ends.kill(id)],
      );
    }
    return acts;
  }

  #launch(): void {
    const isAgent = this.#random.chance(0.7);
    const id = `sess-${String(++this.#launched).padStart(8, "0")}`;
    this.machine.start({ id, command: [isAgent ? "pi" : "sh"], cwd: "/w", kind: isAgent ? "pi" : "shell" });
  }

  #converse(id: string): void {
    if (this.machine.running.get(id)!.meta.kind !== "pi") return;
    const session = this.#random.pick(KEYS);
    this.machine.say(id, { name: "report", data: { state: "working", source: "hook", session } });
    this.life.core.filesNews(this.#talk(session));
  }

  #talk(sessionId: string): ReturnType<SimulatedMachine["talk"]> {
    return this.machine.talk({ sessionId, cwd: "/elsewhere", title: `about ${sessionId}` });
  }

  #restart(): void {
    this.life.runners.die();
    this.life.core.register.close();
    this.life = new Life(this.machine);
    this.#begin("look", () => this.life.core.discovery.look());
    this.life.core.filesNews(this.machine.allNews());
  }
}

/** Lets everything run that needs no answer. */
async function breath(): Promise<void> {
  await vi.advanceTimersByTimeAsync(1);
}

/** What is wrong with the list; empty when nothing is. */
function faultsOf({ machine, life, faults }: Story): string[] {
  const { store, dismissed } = life.core;
  const list = store.list();
  const found = [...faults];
  const alive = list.filter((row) => row.alive).map(({ id }) => id);
  for (const id of machine.running.keys()) if (!alive.includes(id)) found.push(`${id} runs and is not shown so`);
  for (const id of alive) if (!machine.running.has(id)) found.push(`${id} is a ghost`);
  const held = new Map<string, string[]>();
  for (const { id, kind, resume_key } of list) {
    if (resume_key === undefined) continue;
    held.set(`${kind} ${resume_key}`, [...(held.get(`${kind} ${resume_key}`) ?? []), id]);
  }
  for (const [key, ids] of held) {
    const isOpenTwice = ids.every((id) => machine.running.has(id));
    if (ids.length > 1 && !isOpenTwice) found.push(`${key} is shown ${ids.length} times: ${ids.join(", ")}`);
  }
  const slugs = new Set(list.map(({ kind, slug }) => `${kind}/${slug}`));
  if (slugs.size !== list.length) found.push("two rows have one slug");
  for (const row of list) {
    if (row.alive) continue;
    const isOnDisk = machine.disk.has(row.id) || machine.conversations.has(row.resume_key ?? "");
    if (!isOnDisk) found.push(`${row.id} is a row of nothing`);
    if (row.resumable !== true || row.socket_path !== undefined) found.push(`${row.id} is not resumable`);
  }
  for (const { meta } of machine.disk.values()) {
    if (store.get(meta.id) !== undefined || dismissed.hasId(meta.id)) continue;
    const key = machine.noted.get(meta.id)?.resume_key ?? meta.resume_key;
    const isTold = key !== undefined && (held.has(`pi ${key}`) || dismissed.hasConversation("pi", key));
    if (!isTold) found.push(`${meta.id} is missing`);
  }
  for (const key of machine.conversations.keys()) {
    if (!held.has(`pi ${key}`) && !dismissed.hasConversation("pi", key)) found.push(`conversation ${key} is missing`);
  }
  return found;
}

describe("everything at once", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it(`ends in one row for each, and no other (${RUNS} stories of ${STEPS} steps)`, async () => {
    for (let seed = 1; seed <= RUNS; seed++) {
      const story = new Story(seed);
      await story.tell(STEPS);
      expect(faultsOf(story), `seed ${seed}: ${story.log.join(" ")}`).toEqual([]);
      story.life.core.register.close();
    }
  });
});
