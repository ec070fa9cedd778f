/** Many sessions at once and in sequence: each ends like its program, and the daemon keeps answering. */
import { expect, test } from "vitest";
import { TestDaemon } from "../daemon/support/test-daemon.ts";
import { watchHealth } from "../daemon/support/watch-health.ts";
import { waitFor } from "../support/wait-for.ts";
import { figure, isLong } from "./long-form.ts";

const LIVE = isLong ? 200 : 5;
const QUICK = isLong ? 1000 : 10;
const AT_ONCE = 5;

test("many live sessions get their input, and many short ones end properly", { timeout: 1_800_000 }, async () => {
  const machine = await new TestDaemon().start();
  const healthy = watchHealth(machine);
  const live = await inTurns(LIVE, () => machine.launch("exec cat"));
  const begun = performance.now();
  const quick = await inTurns(QUICK, (n) => machine.launch(`echo said-${n}; exit ${n % 7}`));
  const ended = await waitFor("the quick ones to end", async () => {
    const rows = new Map((await machine.sessions()).map((session) => [session.id, session]));
    const mine = quick.map((id) => rows.get(id));
    return mine.every((session) => session?.alive === false) ? mine : undefined;
  });
  expect(ended.map((session) => session!.exit_code)).toEqual(quick.map((_, n) => n % 7));
  const seconds = Math.round((performance.now() - begun) / 1000);
  for (const [n, id] of live.entries()) {
    expect((await machine.ask("POST", `/v1/sessions/${id}/input`, Buffer.from(`word-${n}\r`))).ok).toBe(true);
  }
  for (const [n, id] of live.entries()) {
    await waitFor(`word ${n}`, async () =>
      (await machine.ask("GET", `/v1/sessions/${id}/text`)).text.includes(`word-${n}`),
    );
  }
  expect((await machine.ask("GET", "/v1/health")).text).toContain(`"alive":${LIVE}`);
  figure("many sessions", { live: LIVE, quick: QUICK, seconds, "longest health, ms": await healthy() });
});

/** A few at a time, in order. */
async function inTurns<T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let n = 0; n < count; n += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - n) }, (_, index) => make(n + index));
    made.push(...(await Promise.all(some)));
  }
  return made;
}
