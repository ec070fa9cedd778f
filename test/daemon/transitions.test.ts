/**
 * Whatever the order of events, the store ends with the truth: one row per running process and per resumable conversation or
 * command, none for dismissed ones.
 */
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { SessionReviver } from "../../src/daemon/actions/session-reviver.ts";
import { DaemonEvents } from "../../src/daemon/events/daemon-events.ts";
import { SessionCore } from "../../src/daemon/session-core.ts";
import type { MuxSession } from "../../src/protocol/mux-session.ts";
import { Consumer } from "./support/consumer.ts";
import { SeededRandom } from "./support/seeded-random.ts";
import { SimulatedMachine } from "./support/simulated-machine.ts";
import { isLong } from "../torture/long-form.ts";

const RUNS = isLong ? 300 : 100;
const STEPS = 60;

/** One run of a daemon on the machine. */
class Life {
  readonly core: SessionCore;
  readonly resumes: SessionReviver;
  readonly events: DaemonEvents;
  /** When each conversation was dismissed. */
  readonly dismissedKeys = new Map<string, string>();
  readonly #machine: SimulatedMachine;

  constructor(machine: SimulatedMachine) {
    this.#machine = machine;
    this.core = new SessionCore({
      runners: machine,
      notes: machine.notes(),
      currentRunner: undefined,
      onArrival: () => undefined,
      onEvent: () => undefined,
      onUnclear: (found) => this.core.seenOnNoScreen(found),
      onWritten: () => undefined,
      isElsewhere: () => false,
    });
    this.events = new DaemonEvents(this.core.store);
    const { store, register, ends, dismissed } = this.core;
    const launcher = {
      start: async (request: Parameters<SimulatedMachine["start"]>[0]) => {
        machine.start(request);
        await register.register(request.id);
        return { session_id: request.id, pid: 1 };
      },
      checkDirectory: () => undefined,
    };
    this.resumes = new SessionReviver(store, register, launcher as never, ends, dismissed);
  }

  async begin(): Promise<void> {
    await this.#machine.removeOrphans();
    await this.core.discovery.look();
    this.core.filesNews(this.#machine.allNews());
  }

  async settle(): Promise<void> {
    for (let round = 0; round < 3; round++) {
      await this.core.discovery.look();
      this.core.scanner.scan();
    }
  }
}

class Story {
  readonly machine = new SimulatedMachine();
  life: Life;
  readonly #random: SeededRandom;
  #launched = 0;
  readonly log: string[] = [];

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
    this.life = new Life(this.machine);
  }

  async tell(steps: number): Promise<void> {
    await this.life.begin();
    for (let step = 0; step < steps; step++) {
      const [name, act] = this.#random.pick(this.#possible());
      this.log.push(name);
      await act();
    }
    await this.life.settle();
  }

  #possible(): [string, () => unknown][] {
    const { machine, life } = this;
    const { core } = life;
    const running = [...machine.running.keys()];
    const rows = core.store.list();
    const acts: [string, () => unknown][] = [
      ["launch", () => this.#launch()],
      ["register", () => Promise.all(machine.sockets().map((id) => core.register.register(id)))],
      ["look", () => core.discovery.look()],
      ["scan", () => core.scanner.scan()],
      [
        "write outside",
        () => core.filesNews(machine.talk({ sessionId: this.#random.pick(KEYS), cwd: "/elsewhere", title: "t" })),
      ],
      ["restart", () => this.#restart()],
    ];
    if (running.length > 0) {
      const id = this.#random.pick(running);
      acts.push(
        ["status", () => machine.say(id, { name: "status", data: { label: "", working: this.#random.chance(0.5) } })],
        [
          "title",
          () =>
            machine.say(id, {
              name: "meta",
              data: { shell_title: `title ${this.#random.below(5)}`, adapter_title: "" },
            }),
        ],
        ["exit", () => machine.exit(id, this.#random.below(2))],
        ["crash", () => machine.crash(id)],
        ["converse", () => this.#converse(id)],
      );
    }
    if (rows.length > 0) {
      const row = this.#random.pick(rows);
      acts.push(["resume", () => this.#resume(row)], ["dismiss", () => this.#dismiss(row.id)]);
    }
    return acts;
  }

  #launch(): void {
    const isAgent = this.#random.chance(0.7);
    const id = `sess-${String(++this.#launched).padStart(8, "0")}`;
    this.machine.start({ id, command: [isAgent ? "pi" : "sh"], cwd: "/w", kind: isAgent ? "pi" : "shell" });
  }

  /** The agent's hook names its conversation, which may have changed. */
  #converse(id: string): void {
    const { machine, life } = this;
    if (machine.running.get(id)!.meta.kind !== "pi") return;
    const key = this.#random.pick(KEYS);
    machine.say(id, { name: "report", data: { state: "working", source: "hook", session: key } });
    life.core.filesNews(machine.talk({ sessionId: key, cwd: "/elsewhere", title: `about ${key}` }));
  }

  /** Twice at once, as by a double click. A resumed conversation is no longer dismissed. */
  async #resume({ id, alive, resume_key }: MuxSession): Promise<void> {
    const { resumes, dismissedKeys } = this.life;
    await Promise.all([resumes.resume(id), resumes.resume(id)]).catch(() => undefined);
    if (!alive && resume_key !== undefined) dismissedKeys.delete(resume_key);
  }

  async #dismiss(id: string): Promise<void> {
    const { store, ends } = this.life.core;
    const { resume_key } = store.get(id)!;
    await ends.dismiss(id);
    const isOpen = store.list().some((other) => other.alive && other.resume_key === resume_key);
    if (resume_key !== undefined && !isOpen) this.life.dismissedKeys.set(resume_key, this.machine.now().toISOString());
  }

  async #restart(): Promise<void> {
    this.life.core.register.close();
    this.life = new Life(this.machine);
    await this.life.begin();
  }
}

const KEYS = ["k1", "k2", "k3"];

/** What must be listed, computed from the machine alone: `alive id` and `dead id or key`. */
function truth({ machine, life }: Story): string[] {
  const keyOf = (id: string): string | undefined =>
    machine.noted.get(id)?.resume_key ?? machine.disk.get(id)?.meta.resume_key;
  const shown: string[] = [];
  const held = new Set<string>();
  for (const id of machine.running.keys()) {
    shown.push(`alive ${id}`);
    const key = keyOf(id);
    if (key !== undefined) held.add(key);
  }
  const dead = [...machine.disk.values()]
    .filter(({ meta }) => !machine.running.has(meta.id))
    .map(({ meta, writtenAt }) => ({ id: meta.id, end: meta.exited_at ?? writtenAt.toISOString() }))
    .sort((a, b) => (a.end > b.end ? -1 : 1));
  for (const { id, end } of dead) {
    const key = keyOf(id);
    if (key !== undefined && (held.has(key) || end < (life.dismissedKeys.get(key) ?? ""))) continue;
    if (key !== undefined) held.add(key);
    shown.push(`dead ${id}`);
  }
  for (const key of machine.conversations.keys()) {
    if (!held.has(key) && !life.dismissedKeys.has(key)) shown.push(`dead conversation ${key}`);
  }
  return shown.sort();
}

function tellingOf(events: DaemonEvents): ReadableStream<Uint8Array> {
  const connection = new PassThrough();
  events.open(connection, undefined);
  return new ReadableStream({
    start: (controller) => void connection.on("data", (bytes: Buffer) => controller.enqueue(bytes)),
    cancel: () => void connection.removeAllListeners("data").destroy(),
  });
}

function rows({ life, machine }: Story): string[] {
  return life.core.store
    .list()
    .map(({ id, alive, resume_key }) => {
      if (alive) return `alive ${id}`;
      return machine.disk.has(id) ? `dead ${id}` : `dead conversation ${resume_key}`;
    })
    .sort();
}

describe("any order of events", () => {
  it(`ends in the correct state (${RUNS} stories of ${STEPS} steps)`, async () => {
    for (let seed = 1; seed <= RUNS; seed++) {
      const story = new Story(seed);
      const consumer = new Consumer(tellingOf(story.life.events));
      const firstLife = story.life;
      await story.tell(STEPS);
      const told = `seed ${seed}: ${story.log.join(", ")}`;
      expect(rows(story), told).toEqual(truth(story));
      const list = story.life.core.store.list();
      const dead = list.filter(({ alive, resume_key }) => !alive && resume_key !== undefined);
      expect(new Set(dead.map(({ resume_key }) => resume_key)).size, told).toBe(dead.length);
      expect(new Set(list.map(({ kind, slug }) => `${kind}/${slug}`)).size, told).toBe(list.length);
      for (const session of list) {
        expect(session.alive, told).toBe(story.machine.running.has(session.id));
        expect(session.resumable ?? false, told).toBe(!session.alive);
        expect(session.socket_path !== undefined, told).toBe(session.alive);
        if (!session.alive && session.resume_key !== undefined && story.machine.conversations.has(session.resume_key)) {
          expect(session.command, told).toEqual(["pi", "--session", session.resume_key]);
          expect(session.status, told).toBeNull();
        }
      }
      // A listener and a new client see the same list.
      if (firstLife === story.life) expect(await consumer.picture(list.length), told).toEqual(list);
      await consumer.leave();
      story.life.core.register.close();
    }
  });
});

describe("a conversation that its session has left", () => {
  it("has a row of its own at once, unless it was dismissed", async () => {
    const machine = new SimulatedMachine();
    const { core } = new Life(machine);
    const id = "sess-00000001";
    const goOnWith = async (session: string): Promise<void> => {
      machine.say(id, { name: "report", data: { state: "working", source: "hook", session } });
      core.filesNews(machine.talk({ sessionId: session, cwd: "/w", title: `about ${session}` }));
      await Promise.resolve();
    };
    const past = (): (string | undefined)[] =>
      core.store
        .list()
        .filter(({ alive }) => !alive)
        .map(({ resume_key }) => resume_key)
        .sort();
    machine.start({ id, command: ["pi"], cwd: "/w", kind: "pi" });
    await core.register.register(id);
    await goOnWith("k1");
    expect(past()).toEqual([]);
    await goOnWith("k2");
    expect(past()).toEqual(["k1"]);
    await goOnWith("k1");
    expect(past()).toEqual(["k2"]);
    await core.ends.dismiss(id);
    expect(past()).toEqual(["k2"]);
    core.register.close();
  });
});
