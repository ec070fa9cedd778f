import { afterAll, beforeAll, expect, it, vi } from "vitest";

/** The parts that the page uses. */
class Source extends EventTarget {
  static readonly all: Source[] = [];
  readonly url: string;

  constructor(url: string) {
    super();
    this.url = url;
    Source.all.push(this);
  }

  close(): void {}

  tell(name: string, lastEventId: string, data: unknown = {}): void {
    this.dispatchEvent(Object.assign(new Event(name), { data: JSON.stringify(data), lastEventId }));
  }
}

const SESSION = { id: "a", created_at: "", cwd: "/", kind: "shell", title: "A", command: [], status: null };
const kept = new Map<string, string>();
let page: typeof import("./projection.ts");

beforeAll(async () => {
  vi.useFakeTimers();
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal("EventSource", Source);
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("no daemon")));
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  });
  page = await import("./projection.ts");
});

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function fail(): Promise<Source> {
  const before = Source.all.length;
  Source.all.at(-1)!.dispatchEvent(new Event("error"));
  expect(page.connection.value).toBe("lost");
  await vi.advanceTimersByTimeAsync(1000);
  expect(Source.all.length).toBe(before + 1);
  return Source.all.at(-1)!;
}

it("damaged sessions in the browser's store do not prevent a reconnect", async () => {
  page.connect();
  for (const damaged of ["{", "null", '{"sessions":[null]}', '{"at":"2026-01-01","sessions":[null,{"id":"b"}]}']) {
    kept.set("amux.last-known", damaged);
    await fail();
    expect(page.sessions.value.size).toBe(0);
  }
  kept.set("amux.last-known", JSON.stringify({ at: "2026-01-01", sessions: [null, SESSION] }));
  await fail();
  expect([...page.sessions.value.keys()]).toEqual(["a"]);
});

it("a page that comes back asks only for what it missed", async () => {
  const first = await fail();
  expect(first.url).toBe("/v1/events");
  first.dispatchEvent(new Event("open"));
  first.tell("sync-begin", "");
  first.tell("session-upsert", "", { id: "c", session: { ...SESSION, id: "c" } });
  first.tell("sync-end", "0123abcd-7");
  const second = await fail();
  expect(second.url).toBe("/v1/events?last_event_id=0123abcd-7");
  second.dispatchEvent(new Event("open"));
  second.tell("session-upsert", "0123abcd-8", { id: "d", session: { ...SESSION, id: "d" } });
  await vi.advanceTimersByTimeAsync(100);
  expect([...page.sessions.value.keys()]).toEqual(["c", "d"]);
  expect((await fail()).url).toBe("/v1/events?last_event_id=0123abcd-8");
});
