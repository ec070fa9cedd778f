/** How long a status is wrong, against what the agent really did. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isUrgent, type State } from "../../src/core/state.ts";
import { parseAgentStateOsc } from "../../src/screen/osc.ts";
import { NO_EVIDENCE, observe, type Observation } from "../../src/status/evidence.ts";
import { judge } from "../../src/status/verdict.ts";
import { observationOf, recordedCalls } from "./support/recordings.ts";
import { liveFor, type Life } from "./support/scripted-agent.ts";

const TOLERATED_MS = 2000;
const STEP_MS = 50;
const ALONE = { isAlive: () => false };

/** What a person would do about it. */
function meaning(state: State | undefined): string {
  if (state === undefined || state === "working" || state === "offline") return state ?? "nothing";
  return isUrgent(state) ? "asks" : "calm";
}

interface Mistake {
  from: number;
  ms: number;
  was: string;
  shown: string;
}

function longestMistake({ truth, seen }: Life, until: number): Mistake {
  let evidence = NO_EVIDENCE;
  let worst: Mistake = { from: 0, ms: 0, was: "", shown: "" };
  let wrongSince: number | undefined;
  let next = 0;
  let period = 0;
  for (let now = truth[0]!.at + STEP_MS; now < until; now += STEP_MS) {
    while (next < seen.length && seen[next]!.at <= now) evidence = observe(evidence, seen[next++]!, ALONE);
    while (period + 1 < truth.length && truth[period + 1]!.at <= now) period++;
    const was = meaning(truth[period]!.state);
    const shown = meaning(judge(evidence, now)?.state);
    if (was === shown) wrongSince = undefined;
    else {
      wrongSince ??= now;
      if (now - wrongSince > worst.ms) worst = { from: wrongSince, ms: now - wrongSince, was, shown };
    }
  }
  return worst;
}

it.each([1, 2, 3, 4, 5])("never for longer than 2 s in an hour of mixed events (seed %i)", (seed) => {
  const life = liveFor(3_600_000, seed);
  const worst = longestMistake(life, 3_600_000);
  expect(life.seen.length).toBeGreaterThan(1000);
  expect(worst, JSON.stringify(worst)).toMatchObject({
    ms: expect.toSatisfy((ms: number) => ms <= TOLERATED_MS) as number,
  });
});

it("never for longer than 2 s in a recorded session of Claude Code with a permission and a cancelled turn", () => {
  // Both recordings have their own clock; the first prompt and the exit are in both.
  const started = Date.parse("2026-11-15T01:46:43.700Z");
  const path = join(import.meta.dirname, "../../src/agents/claude/fixtures/hooks/claude-osc.osc.jsonl");
  const terminal = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.includes('"7501;state='))
    .map((line) => JSON.parse(line) as { t: number; osc: string })
    .flatMap(({ t, osc }): Observation[] => {
      const said = parseAgentStateOsc(osc.slice("7501;".length));
      return said ? [{ ...said, source: "agent", at: started + t * 1000 }] : [];
    });
  const hooks = recordedCalls("claude", "claude-osc.jsonl").flatMap((call) => observationOf("claude", call) ?? []);
  const seen = [...terminal, ...hooks].sort((a, b) => a.at - b.at);
  const life: Life = { truth: terminal.map(({ at, state }) => ({ at, state })), seen };
  expect(life.truth.map(({ state }) => state)).toEqual([
    "idle",
    "working",
    "permission",
    "working",
    "done",
    "working",
    "idle",
    "working",
  ]);
  expect(longestMistake(life, started + 20_000).ms).toBeLessThanOrEqual(TOLERATED_MS);
});
