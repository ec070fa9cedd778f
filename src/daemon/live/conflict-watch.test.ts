import { expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import type { EditConflict } from "../../core/edit-conflict.ts";
import { readConflicts, writeConflicts } from "../../status/conflict-file.ts";
import type { HistoryRequest } from "../files/history-request.ts";
import type { SessionRecord } from "../store/session-record.ts";
import { ConflictWatch, type ConflictWatchParts } from "./conflict-watch.ts";

const record = (id: string, key: string): SessionRecord => ({
  id,
  resume_key: key,
  kind: "made",
  created_at: "",
  cwd: "/",
  command: [],
  alive: true,
  status: null,
  unread: false,
});

/** The request of this number fails. */
function watchOf(records: SessionRecord[], failing = 0) {
  const home = tempHome().path;
  const asked: Extract<HistoryRequest, { kind: "conflicts" }>[] = [];
  let answer: EditConflict[] = [];
  let news = 0;
  let tell: Parameters<ConflictWatchParts["store"]["onChange"]>[0] = () => undefined;
  const watch = new ConflictWatch({
    home,
    store: {
      *liveRecords() {
        yield* records;
      },
      onChange: (listener) => {
        tell = listener;
        return () => undefined;
      },
    },
    files: {
      async *read(request) {
        asked.push(request as (typeof asked)[number]);
        if (asked.length === failing) throw new Error("the history process ended");
        yield await Promise.resolve(JSON.stringify(answer));
      },
    },
    onChange: () => news++,
  });
  return {
    home,
    watch,
    asked,
    answers: (next: EditConflict[]) => (answer = next),
    news: () => news,
    ended: (id: string) => {
      const before = records.find((each) => each.id === id)!;
      records.splice(records.indexOf(before), 1);
      tell({ id, before, after: { ...before, alive: false } } as unknown as Parameters<typeof tell>[0]);
    },
  };
}

const now = Date.now();
const conflict: EditConflict = {
  id: "conflict-0123456789abcdef",
  sessions: ["a", "b"],
  level: "file",
  files: ["src/a.ts"],
  count: 1,
  since: now,
  latest: now,
};

/** Looks are spaced by what they cost, so a test waits for the next one instead of for a time. */
async function lookUntil(watch: ConflictWatch, isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    await watch.look();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

it("nothing is read when nothing changed, and only a running session's conversation counts", async () => {
  const { watch, asked, home, answers, news } = watchOf([record("a", "1"), record("b", "2")]);
  answers([conflict]);
  await watch.look();
  expect([asked.length, watch.list(), news()]).toEqual([1, [conflict], 1]);
  expect(readConflicts(home, () => true, now)).toEqual([conflict]);
  expect(readConflicts(home, (id) => id !== "b", now)).toEqual([]);
  watch.changed("made", "somebody else's");
  for (let look = 0; look < 100; look++) await watch.look();
  expect(asked).toHaveLength(1);
  answers([]);
  watch.changed("made", "2");
  await lookUntil(watch, () => asked.length === 2);
  expect(asked[1]!.sessions.map(({ version }) => version)).toEqual([0, 1]);
  expect([watch.list(), readConflicts(home, () => true, now), news()]).toEqual([[], [], 2]);
});

it("a conflict is over when one of the two ends, without a look at any file", async () => {
  const { watch, asked, answers, ended } = watchOf([record("a", "1"), record("b", "2")]);
  answers([conflict]);
  await watch.look();
  ended("b");
  await lookUntil(watch, () => watch.list().length === 0);
  expect(asked).toHaveLength(1);
});

it("a change is looked at again after the history process ended while it was read", async () => {
  const { watch, asked, answers } = watchOf([record("a", "1"), record("b", "2")], 1);
  answers([conflict]);
  await expect(watch.look()).rejects.toThrow("ended");
  await lookUntil(watch, () => asked.length === 2);
  expect(watch.list()).toEqual([conflict]);
});

it("a conflict stays in the list when the daemon starts again, until a look finds it over", async () => {
  const { watch, home, answers, news } = watchOf([record("a", "1"), record("b", "2")]);
  writeConflicts(home, [conflict]);
  watch.begin();
  expect(watch.list()).toEqual([conflict]);
  answers([conflict]);
  await watch.look();
  expect(news()).toBe(0);
  answers([]);
  watch.changed("made", "2");
  await lookUntil(watch, () => watch.list().length === 0);
  expect(readConflicts(home, () => true, now)).toEqual([]);
});
