import { once } from "node:events";
import { PassThrough, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import type { RunnerChange } from "../store/session-record.ts";
import { SessionStore } from "../store/store.ts";
import { ChangeLog } from "./change-log.ts";
import { DaemonEvents } from "./daemon-events.ts";

const ARRIVAL: RunnerChange = {
  created_at: "2026-01-01T00:00:00Z",
  kind: "shell",
  cwd: "/",
  command: ["sh"],
  alive: true,
};

function setUp(sessions = 0): { store: SessionStore; events: DaemonEvents } {
  const store = new SessionStore();
  for (let number = 0; number < sessions; number++) store.upsert("runner", idOf(number), ARRIVAL);
  return { store, events: new DaemonEvents(store) };
}

function idOf(number: number): string {
  return `sess-${String(number).padStart(8, "0")}`;
}

interface Received {
  event: string;
  data: { id?: string; session?: { title: string; unread: boolean } };
}

/** Reads events until one passes the test. */
class Consumer {
  readonly #connection = new PassThrough();
  readonly #received: Received[] = [];
  lastId: string | undefined;

  constructor(events: DaemonEvents, lastEventId?: string) {
    events.open(this.#connection, lastEventId);
  }

  async until(test: (event: Received) => boolean): Promise<Received[]> {
    for (;;) {
      const at = this.#received.findIndex(test);
      if (at >= 0) return this.#received.splice(0, at + 1);
      const value = (this.#connection.read() as Buffer | null) ?? (await once(this.#connection, "readable"));
      if (value instanceof Buffer) for (const block of value.toString().split("\n\n")) this.#take(block);
    }
  }

  untilSynced(): Promise<Received[]> {
    return this.until(({ event }) => event === "sync-end");
  }

  leave(): void {
    this.#connection.destroy();
  }

  #take(block: string): void {
    const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
    const event = field("event");
    if (event === undefined) return;
    this.lastId = field("id") ?? this.lastId;
    this.#received.push({ event, data: JSON.parse(field("data")!) as Received["data"] });
  }
}

describe("the event stream", () => {
  it("begins with everything and continues with changes", async () => {
    const { store, events } = setUp(2);
    const consumer = new Consumer(events);
    expect((await consumer.untilSynced()).map(({ event, data }) => [event, data.id])).toEqual([
      ["sync-begin", undefined],
      ["session-upsert", idOf(0)],
      ["session-upsert", idOf(1)],
      ["sync-end", undefined],
    ]);
    store.upsert("runner", idOf(0), { shell_title: "new" });
    const [change] = await consumer.until(({ event }) => event === "session-upsert");
    expect(change?.data.session?.title).toBe("new");
    store.remove(idOf(1));
    events.activity(idOf(0));
    expect(
      (await consumer.until(({ event }) => event === "session-activity")).map(({ event, data }) => [event, data.id]),
    ).toEqual([
      ["session-remove", idOf(1)],
      ["session-activity", idOf(0)],
    ]);
    consumer.leave();
  });

  it("continues where a consumer was, and sends everything to an unknown one", async () => {
    const { store, events } = setUp(3);
    const first = new Consumer(events);
    await first.untilSynced();
    first.leave();
    store.upsert("runner", idOf(2), { unread: true });
    const back = new Consumer(events, first.lastId);
    expect((await back.until(({ event }) => event === "session-upsert")).map(({ data }) => data.id)).toEqual([idOf(2)]);
    back.leave();
    for (const unknown of ["00000000-1", "nonsense", ""]) {
      const stranger = new Consumer(events, unknown);
      expect(await stranger.untilSynced()).toHaveLength(5);
      stranger.leave();
    }
  });

  it("does not accept an initial state that was cut off", async () => {
    const { events } = setUp(500);
    const cut = new Consumer(events);
    await cut.until(({ event }) => event === "session-upsert");
    cut.leave();
    expect(cut.lastId).toBeUndefined();
  });

  it("sends a slow consumer the newest state, once", async () => {
    const { store, events } = setUp(1);
    const consumer = new Consumer(events);
    await consumer.untilSynced();
    for (let number = 0; number < 1000; number++) store.upsert("runner", idOf(0), { shell_title: `title ${number}` });
    const changes = await consumer.until(({ data }) => data.session?.title === "title 999");
    expect(changes).toHaveLength(1);
    consumer.leave();
  });

  it("brings a consumer that fell far behind to the same state as a fresh one", async () => {
    const { store, events } = setUp(20);
    const consumer = new Consumer(events);
    await consumer.untilSynced();
    for (let round = 0; round < 600; round++) {
      for (let number = 0; number < 20; number++) store.upsert("runner", idOf(number), { shell_title: `${round}` });
      store.upsert("runner", `sess-a${String(round).padStart(7, "0")}`, ARRIVAL);
      store.remove(`sess-a${String(round).padStart(7, "0")}`);
    }
    store.remove(idOf(7));
    const seen = (await consumer.untilSynced()).filter(({ event }) => event === "session-upsert");
    expect(seen.map(({ data }) => [data.id, data.session?.title]).sort()).toEqual(
      store
        .list()
        .map(({ id, title }) => [id, title])
        .sort(),
    );
    consumer.leave();
  });

  it("prepares nothing for a consumer that never reads", () => {
    const { store, events } = setUp(5000);
    const connection = new Writable({ write: () => undefined });
    events.open(connection, undefined);
    for (let number = 0; number < 5000; number++) store.upsert("runner", idOf(number), { unread: true });
    expect(connection.writableLength).toBeLessThan(200_000);
    connection.destroy();
  });

  it("sends topics as a whole", async () => {
    const { events } = setUp();
    let projects = ["a"];
    events.addTopic("projects-update", () => ({ projects }));
    const consumer = new Consumer(events);
    expect((await consumer.untilSynced()).map(({ event }) => event)).toEqual([
      "sync-begin",
      "projects-update",
      "sync-end",
    ]);
    projects = ["a", "b"];
    events.topicChanged("projects-update");
    const [update] = await consumer.until(({ event }) => event === "projects-update");
    expect(update?.data).toEqual({ projects: ["a", "b"] });
    consumer.leave();
  });
});

describe("the change log", () => {
  it("holds a bounded number of names and knows what it has forgotten", () => {
    const log = new ChangeLog(10);
    for (let number = 1; number <= 100; number++) log.append(`n${number % 3}`);
    expect(log.after(100)).toEqual([]);
    expect(log.after(97)?.map(({ position }) => position)).toEqual([98, 99, 100]);
    expect(log.after(10)).toBeUndefined();
    expect(log.after(101)).toBeUndefined();
  });
});
