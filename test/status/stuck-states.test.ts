/** No state outlives its cause: after every recorded hook call, each exit leads out of it. */
import { describe, expect, it } from "vitest";
import { isUrgent } from "../../src/core/state.ts";
import type { Json } from "../../src/lib/json/fields.ts";
import { GRACE_MS, NO_EVIDENCE, observe, release, type Evidence, type Observation } from "../../src/status/evidence.ts";
import { judge } from "../../src/status/verdict.ts";
import { meaning } from "./support/wrong-time.ts";
import { observationOf, recordedCalls, statesOf, type RecordedCall } from "./support/recordings.ts";

const RECORDINGS = [
  ["claude", "claude-interactive.jsonl"],
  ["claude", "claude-osc.jsonl"],
  ["claude", "claude-subagent.jsonl"],
  ["claude", "claude-background.jsonl"],
  ["codex", "codex.jsonl"],
  ["gemini", "interactive.hooks.jsonl"],
  ["gemini", "headless.hooks.jsonl"],
  ["copilot", "interactive.hooks.jsonl"],
  ["copilot", "headless.hooks.jsonl"],
  ["droid", "interactive.hooks.jsonl"],
  ["grok", "interactive.hooks.jsonl"],
  ["kimi", "interactive.hooks.jsonl"],
  ["qwen", "interactive.hooks.jsonl"],
  ["opencode", "plugin-log.jsonl"],
  ["pi", "p15-status-ext.events.jsonl"],
  ["omp", "o18-status-ext.events.jsonl"],
] as const;

const ALONE = { isAlive: () => false };

/** The evidence after each call, with its time. */
function moments(agent: string, file: string): { at: number; evidence: Evidence }[] {
  let evidence = NO_EVIDENCE;
  return recordedCalls(agent, file).flatMap((call) => {
    const observation = observationOf(agent, call);
    if (observation === undefined) return [];
    evidence = observe(evidence, observation, ALONE);
    return [{ at: observation.at, evidence }];
  });
}

function after(evidence: Evidence, at: number, observation: Omit<Observation, "at">): string {
  const later = at + 5000;
  return meaning(judge(observe(evidence, { ...observation, at: later }, ALONE), later + GRACE_MS)?.state);
}

describe.each(RECORDINGS)("%s, %s: after every call", (agent, file) => {
  const all = moments(agent, file);
  const restless = all.filter(({ at, evidence }) => meaning(judge(evidence, at)?.state) !== "offline");

  it("a crash ends it at once, and the next start begins afresh", () => {
    expect(restless.length).toBeGreaterThan(2);
    for (const { at, evidence } of all) {
      const gone = observe(evidence, { state: "offline", source: "process", at: at + 10 }, ALONE);
      expect(judge(gone, at + 10)?.state).toBe("offline");
      const fresh = { state: "idle", source: "hook", at: at + 20, session: "fresh", begins: true } as const;
      expect(judge(observe(gone, fresh, ALONE), at + 20)?.state).toBe("idle");
    }
  });

  it("a cancelled turn or a denied dialog is seen in the agent's title or its transcript", () => {
    for (const { at, evidence } of restless) {
      expect(after(evidence, at, { state: "idle", source: "agent" })).toBe("calm");
      expect(after(evidence, at, { state: "idle", source: "transcript" })).toBe("calm");
    }
  });

  it("work that continues is seen, whatever a hook reported last", () => {
    for (const { at, evidence } of restless)
      expect(after(evidence, at, { state: "working", source: "agent" })).toBe("working");
  });

  it("a released hook does not hold the state", () => {
    for (const { at, evidence } of all) {
      const held = { ...evidence, asks: evidence.asks.map((ask) => ({ ...ask, held: true })) };
      const shown = observe(held, { state: "working", source: "agent", at: at + 100 }, ALONE);
      const freed = held.asks.reduce((sum, { ask }) => release(sum, ask, at + 200), shown);
      if (held.asks.length > 0) expect(isUrgent(judge(freed, at + 200 + GRACE_MS)?.state ?? "")).toBe(false);
    }
  });

  it("a new prompt leaves nothing of the previous turn", () => {
    for (const { at, evidence } of restless) {
      const { session } = evidence;
      const prompt = { state: "working", source: "hook", at: at + 50, begins: true, message: "Next" } as const;
      const next = observe(evidence, { ...prompt, ...(session === undefined ? {} : { session }) }, ALONE);
      expect(judge(next, at + 50)).toMatchObject({ state: "working", message: "Next" });
      expect(next.asks).toEqual([]);
    }
  });

  it("/clear leads to a new session, and late reports of the old one are ignored", () => {
    for (const { at, evidence } of restless) {
      if (evidence.session === undefined) continue;
      const cleared = observe(
        evidence,
        { state: "idle", source: "hook", at: at + 50, session: "cleared", begins: true },
        ALONE,
      );
      for (const state of ["working", "permission", "done", "error", "offline"] as const) {
        const late = observe(cleared, { state, source: "hook", at: at + 60, session: evidence.session }, ALONE);
        expect(judge(late, at + 70)?.state).toBe("idle");
      }
    }
  });
});

/** Recorded calls of Claude Code with extra fields from its documentation. */
function altered(event: string, fields: Json): RecordedCall {
  const call = recordedCalls("claude", "claude-interactive.jsonl").find(
    ({ payload }) => payload["hook_event_name"] === event,
  )!;
  return { ...call, payload: { ...call.payload, ...fields } };
}

const inOrder = (calls: RecordedCall[]): RecordedCall[] => calls.map((call, index) => ({ ...call, at: index * 1000 }));

it("/clear of Claude Code is not the end of it", () => {
  const states = statesOf(
    "claude",
    inOrder([
      altered("UserPromptSubmit", {}),
      altered("PermissionRequest", {}),
      altered("SessionEnd", { reason: "clear" }),
      altered("SessionStart", { source: "clear", session_id: "next" }),
      altered("Stop", {}),
    ]),
  );
  expect(states.at(-1)).toBe("SessionStart: idle");
});

it("background shells do not keep Claude Code busy, and are reported", () => {
  const states = statesOf(
    "claude",
    inOrder([
      altered("UserPromptSubmit", { prompt: "Serve it" }),
      altered("Stop", { background_tasks: [{ id: "b1", type: "shell" }], last_assistant_message: "It runs." }),
    ]),
  );
  expect(states).toEqual(["UserPromptSubmit: working | Serve it", "Stop: done | 1 in the background | It runs."]);
});

it("retries are work, not errors: Pi and OpenCode", () => {
  const pi = recordedCalls("pi", "p15-status-ext.events.jsonl");
  const prompt = pi.findIndex(({ payload }) => payload["event"] === "before_agent_start");
  const failing = { ...pi[prompt]!.payload, stopReason: "error", errorMessage: "overloaded" };
  const told = (event: string): RecordedCall => ({ at: 0, event: undefined, payload: { ...failing, event } });
  expect(
    statesOf("pi", inOrder([pi[prompt]!, told("agent_end"), told("auto_retry_start"), told("agent_start")])),
  ).toEqual([
    "before_agent_start: working | Sketch the pay command",
    "auto_retry_start: working | retrying | Sketch the pay command",
    "agent_start: working | Sketch the pay command",
  ]);

  const status = (type: string): RecordedCall => ({
    at: 0,
    event: undefined,
    payload: { type: "session.status", properties: { sessionID: "s", status: { type } } },
  });
  expect(statesOf("opencode", inOrder([status("busy"), status("retry"), status("busy"), status("idle")]))).toEqual([
    "session.status: working",
    "session.status: working | retrying",
    "session.status: working",
    "session.status: done",
  ]);
});

it("Claude Code's hooks run by Cursor say nothing about Claude Code", () => {
  const calls = recordedCalls("claude", "claude-interactive.jsonl");
  const fromCursor = calls.map((call) => ({
    ...call,
    payload: { ...call.payload, conversation_id: "c", generation_id: "g", cursor_version: "3.2.16" },
  }));
  expect(statesOf("claude", fromCursor)).toEqual([]);
});
