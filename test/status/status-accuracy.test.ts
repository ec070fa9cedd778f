/** How long a status is wrong, compared with what the agent really did. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { AgentRegistry } from "../../src/agents/registry.ts";
import type { State } from "../../src/core/state.ts";
import { parseAgentStateOsc } from "../../src/screen/osc.ts";
import type { Observation } from "../../src/status/evidence.ts";
import { longestMistake } from "./support/wrong-time.ts";
import { observationOf, recordedCalls } from "./support/recordings.ts";
import { liveFor, type Life } from "./support/scripted-agent.ts";

const TOLERATED_MS = 2000;

it.each([1, 2, 3, 4, 5])("a state is never wrong for longer than 2 s in an hour of mixed events (seed %i)", (seed) => {
  const life = liveFor(3_600_000, seed);
  expect(life.seen.length).toBeGreaterThan(1000);
  expectBelievable(life, 3_600_000);
});

function expectBelievable(life: Life, until: number): void {
  const worst = longestMistake(life, until);
  expect(worst.ms, JSON.stringify(worst)).toBeLessThanOrEqual(TOLERATED_MS);
}

/** What the runner sees of a terminal: reported states, else the meaning of titles. */
async function terminalWords(agent: string, file: string, started: number): Promise<Observation[]> {
  const path = join(import.meta.dirname, `../../src/agents/${agent}/fixtures/hooks/${file}`);
  const { titleState } = (await new AgentRegistry().get(agent)).hooks!;
  const records = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { t: number; osc?: string });
  const isSpokenFor = records.some(({ osc }) => osc?.startsWith("7501;state=") === true);
  return records.flatMap(({ t, osc = "" }): Observation[] => {
    const [kind, text] = [osc.slice(0, osc.indexOf(";")), osc.slice(osc.indexOf(";") + 1)];
    const said = isSpokenFor ? kind === "7501" && parseAgentStateOsc(text) : kind === "0" && titleState?.(text);
    return said ? [{ ...said, source: "agent", at: started + t * 1000 }] : [];
  });
}

async function recorded(agent: string, hooks: string, osc: string, started: number): Promise<Observation[]> {
  const terminal = await terminalWords(agent, osc, started);
  const calls = recordedCalls(agent, hooks).flatMap((call) => observationOf(agent, call) ?? []);
  return [...terminal, ...calls].sort((a, b) => a.at - b.at);
}

/** Seconds after the terminal's start, from the keys typed and the model's answers. */
function truthFrom(started: number, periods: [seconds: number, state: State][]): Life["truth"] {
  return periods.map(([seconds, state]) => ({ at: started + seconds * 1000, state }));
}

it("a recorded session of Claude Code with its own reports has the right state: a permission, a cancelled turn", async () => {
  // Both recordings have their own clock, with the first prompt and the exit in common.
  const started = Date.parse("2026-11-15T01:46:43.700Z");
  const terminal = await terminalWords("claude", "claude-osc.osc.jsonl", started);
  const truth = terminal.map(({ at, state }) => ({ at, state }));
  expect(truth.map(({ state }) => state).join(" ")).toBe("idle working permission working done working idle working");
  const seen = await recorded("claude", "claude-osc.jsonl", "claude-osc.osc.jsonl", started);
  expectBelievable({ truth, seen }, started + 20_000);
});

it("a recorded session with only hooks and titles has the right state, also after cancelled turns", async () => {
  const started = Date.parse("2026-11-15T01:44:43.700Z");
  const truth = truthFrom(started, [
    [1.6, "idle"],
    [6.2, "working"],
    [7.7, "permission"],
    [16, "working"],
    [17.1, "done"],
    // A model is chosen, which the title shows for a moment.
    [27.6, "working"],
    [27.9, "done"],
    [30.4, "working"],
    // Esc, which no hook reports.
    [34.6, "idle"],
    [37.9, "working"],
    [38.3, "permission"],
    [41.1, "working"],
    // Esc while the tool ran: no hook reports its end either.
    [45.3, "idle"],
    [47.6, "working"],
    [48.5, "idle"],
    [50.5, "working"],
    [51.2, "done"],
    [117.5, "offline"],
  ]);
  expectBelievable(
    { truth, seen: await recorded("claude", "claude-interactive.jsonl", "claude-inter.osc.jsonl", started) },
    started + 120_000,
  );
});

it("a recorded session of Codex has the right state: a permission, an interruption, a compaction", async () => {
  const started = recordedCalls("codex", "codex.jsonl")[0]!.at - 6900;
  const first = recordedCalls("codex", "codex.jsonl").findIndex(
    ({ payload }) => payload["hook_event_name"] === "SessionEnd",
  );
  const end = recordedCalls("codex", "codex.jsonl")[first]!.at;
  const truth = truthFrom(started, [
    [6.9, "working"],
    [7.7, "permission"],
    [11.9, "working"],
    [12.1, "done"],
    [18.4, "working"],
    [18.6, "done"],
    [22, "working"],
    [26.1, "idle"],
    [29.7, "working"],
    [29.9, "idle"],
    [34.4, "working"],
    [34.7, "done"],
  ]);
  const seen = await recorded("codex", "codex.jsonl", "codex-inter.osc.jsonl", started);
  expectBelievable({ truth, seen: seen.filter(({ at }) => at < end) }, end);
});
