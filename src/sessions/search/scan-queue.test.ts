import { describe, expect, it } from "vitest";
import type { SessionSource } from "../../agents/adapter.ts";
import { madeAgent } from "../../../test/support/made-agent.ts";
import { Random } from "../../../test/search/random.ts";
import { Catalog } from "../catalog.ts";
import type { Batch } from "./scan-thread.ts";
import { ScanQueue } from "./scan-queue.ts";
import type { UnknownSession } from "./session-scan.ts";

const ENV = { home: "/nowhere", platform: "linux", vars: {} } as const;

function agent(name: string, hasBytes: boolean): Catalog {
  const made = madeAgent(name, []);
  const bytes = { files: ({ path }: SessionSource) => [path] };
  return new Catalog(hasBytes ? { ...made, history: { ...made.history!, bytes } } : made, ENV);
}

function sessions(catalog: Catalog, count: number): UnknownSession[] {
  return Array.from({ length: count }, (_, index) => {
    const sessionId = `${catalog.adapter.name}-${index}`;
    return { catalog, source: { sessionId, path: `/nowhere/${sessionId}`, files: [], updatedMs: 0 } };
  });
}

describe("what a search has to look at", () => {
  it("is done once and comes to an end, whatever threads find, cannot tell, give back or fail at", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = new Random(seed);
      const [plain, closed, foreign] = [agent("plain", true), agent("closed", false), agent("foreign", true)];
      const all = [plain, closed, foreign].flatMap((catalog) => sessions(catalog, random.int(0, 119)));
      const scan = {
        canTell: ({ adapter }: Catalog) => adapter.history?.bytes !== undefined,
        passesUnread: ({ source }: UnknownSession) => !source.sessionId.endsWith("7"),
      };
      // A thread can load all but the one that was registered at run time.
      const queue = new ScanQueue(all, scan, ({ catalog }) => catalog !== foreign);
      const done = new Map<string, number>();
      const finish = ({ source }: UnknownSession): void => {
        done.set(source.sessionId, (done.get(source.sessionId) ?? 0) + 1);
      };
      const underway: Batch[] = [];
      let steps = 0;
      while (!queue.isEmpty || underway.length > 0) {
        expect(++steps, `seed ${seed}`).toBeLessThan(20 * all.length + 20);
        const choice = random.int(0, 2);
        if (choice === 0) {
          const next = queue.next();
          if (next) finish(next.session);
        } else if (choice === 1) {
          const batch = queue.batch();
          if (batch) underway.push(batch);
        } else {
          const batch = underway.shift();
          if (batch) answer(batch, queue, random, finish);
        }
      }
      for (const session of all) {
        const { sessionId } = session.source;
        // Passed over by a thread, or looked at by the search itself, which passes over it, too.
        if (scan.passesUnread(session)) expect(done.get(sessionId), `${sessionId}, seed ${seed}`).toBe(1);
        else expect(done.get(sessionId) ?? 0).toBeLessThan(2);
      }
    }
  });

  it("is read in a thread only where the thread can load the agent", () => {
    const foreign = agent("foreign", true);
    const queue = new ScanQueue([], { canTell: () => true, passesUnread: () => true }, () => false);
    queue.addCandidate(sessions(foreign, 1)[0]!);
    expect(queue.batch()).toBeUndefined();
    expect(queue.next()).toMatchObject({ isCandidate: true });
    expect(queue.isEmpty).toBe(true);
  });
});

function answer(
  { order, sessions: batch }: Batch,
  queue: ScanQueue,
  random: Random,
  finish: (one: UnknownSession) => void,
): void {
  if (random.int(0, 7) === 0) return queue.giveBack(batch);
  for (const session of batch) {
    const outcome = order.kind === "read" ? 0 : random.int(0, 2);
    if (outcome === 0) finish(session);
    else if (outcome === 1) queue.addCandidate(session);
    else queue.giveBack([session]);
  }
}
