/** What shows from outside: titles, transcripts, and the agents' own files. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentEnv } from "../../src/agents/adapter.ts";
import { AgentRegistry } from "../../src/agents/registry.ts";
import type { StatusHooks } from "../../src/agents/status-hooks.ts";
import { asObject, type Json } from "../../src/lib/json/fields.ts";
import { startTimeOf } from "../../src/lib/process/processes.ts";
import { lastRecords } from "../../src/lib/json/last-records.ts";
import { tempHome } from "../support/temp-home.ts";

const AGENTS = join(import.meta.dirname, "../../src/agents");

async function hooksOf(agent: string): Promise<StatusHooks> {
  return (await new AgentRegistry().get(agent)).hooks!;
}

function lines(path: string): Json[] {
  return readFileSync(join(AGENTS, path), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Json);
}

/** States in order, repeats merged. */
async function statesOf(agent: string, titles: Iterable<string>): Promise<string[]> {
  const { titleState } = await hooksOf(agent);
  const states: string[] = [];
  for (const title of titles) {
    const state = titleState!(title)?.state;
    if (state !== undefined && state !== states.at(-1)) states.push(state);
  }
  return states;
}

const titlesOf = (records: Json[], field: string): string[] =>
  records.flatMap((record) => /^0;(.*)$/.exec(String(record[field] ?? ""))?.[1] ?? []);

describe("titles", () => {
  it("of Claude Code distinguish work from everything else", async () => {
    const states = await statesOf("claude", titlesOf(lines("claude/fixtures/hooks/claude-inter.osc.jsonl"), "osc"));
    // Ten phases of work, the last one the exit; a dialog in the first two turns looks idle.
    expect(states.filter((state) => state === "working")).toHaveLength(11);
    expect(new Set(states)).toEqual(new Set(["idle", "working"]));
  });

  it("of Codex show work, questions and rest", async () => {
    const states = await statesOf("codex", titlesOf(lines("codex/fixtures/hooks/codex-inter.osc.jsonl"), "osc"));
    // The start, a turn with a permission, a turn, an interrupted one, a compaction, another turn.
    const turns = [
      "working",
      "permission",
      "working",
      "idle",
      "working",
      "idle",
      "working",
      "idle",
      "working",
      "idle",
      "working",
      "idle",
    ];
    expect(states).toEqual(["idle", "working", "idle", ...turns]);
  });

  it("of Gemini show work, questions and rest", async () => {
    const recorded = JSON.parse(readFileSync(join(AGENTS, "gemini/fixtures/hooks/titles.json"), "utf8")) as Record<
      string,
      { titles_and_status_osc: Json[] }
    >;
    const states = await statesOf(
      "gemini",
      titlesOf(recorded["interactive (hooks run, with permission prompts)"]!.titles_and_status_osc, "osc"),
    );
    expect(states.slice(0, 9)).toEqual([
      "idle",
      "working",
      "idle",
      "working",
      "permission",
      "working",
      "idle",
      "working",
      "permission",
    ]);
  });

  it("of omp show work, questions and rest", async () => {
    const states = await statesOf("omp", titlesOf(lines("omp/fixtures/hooks/o18-status-ext.pty.osc.jsonl"), "data"));
    expect(states).toEqual(["idle", "working", "idle", "working", "idle"]);
    expect(await statesOf("omp", ["π ! Deploy?"])).toEqual(["waiting"]);
  });

  it("of Qwen Code show work, questions and rest", async () => {
    const titles = ["Qwen - shop", "◐︎ Qwen - shop", "✳︎ Qwen - shop", "◐︎ My name", "Qwen - shop"];
    expect(await statesOf("qwen", titles)).toEqual(["idle", "working", "permission", "working", "idle"]);
  });

  it.each(["claude", "codex", "gemini", "omp", "qwen"])(
    "of other programs say nothing about %s, or rest",
    async (agent) => {
      const { titleState } = await hooksOf(agent);
      for (const title of ["", "user@host: ~/dev", "vim", "\u001b[31m"])
        expect(titleState!(title)?.state ?? "idle").toBe("idle");
    },
  );
});

describe("transcripts", () => {
  const told = async (agent: string, records: readonly Json[]): Promise<string> => {
    const state = (await hooksOf(agent)).transcriptState!(records);
    return state === undefined ? "nothing" : `${state.state}${state.message === undefined ? "" : ` ${state.message}`}`;
  };

  it("of Copilot show the whole course of a session", async () => {
    const records = lines(
      "copilot/fixtures/home/.copilot/session-state/09daea18-1250-4de4-9961-e187107df798/events.jsonl",
    );
    const story: string[] = [];
    for (let end = 1; end <= records.length; end++) {
      const now = await told("copilot", records.slice(0, end));
      if (now !== story.at(-1)) story.push(now);
    }
    expect(story).toEqual([
      "nothing",
      "working",
      "idle",
      "working",
      "permission node --test",
      "working",
      "idle",
      "working",
      "idle",
      "working",
      "permission rm README.md",
      "working",
      "idle",
      "working",
      "idle",
    ]);
  });

  it("of a Copilot killed during a question still show the question", async () => {
    const records = lines(
      "copilot/fixtures/home/.copilot/session-state/75608890-2b5b-4b15-bd8c-daacdc914548/events.jsonl",
    );
    expect(await told("copilot", records)).toBe("permission npm install left-pad");
  });

  it.each([
    ["claude", [{ type: "user", message: { content: "go" } }], "working"],
    [
      "claude",
      [{ type: "assistant", message: { stop_reason: "tool_use", content: [{ type: "tool_use" }] } }],
      "working",
    ],
    [
      "claude",
      [{ type: "assistant", message: { stop_reason: "end_turn", content: [] } }, { type: "cost-state" }],
      "idle",
    ],
    [
      "claude",
      [{ type: "user", message: { content: [{ type: "text", text: "[Request interrupted by user for tool use]" }] } }],
      "idle",
    ],
    [
      "claude",
      [
        { type: "user", message: { content: "x" } },
        { type: "assistant", isSidechain: true, message: { stop_reason: "end_turn" } },
      ],
      "working",
    ],
    [
      "codex",
      [
        { type: "event_msg", payload: { type: "task_started" } },
        { type: "response_item", payload: {} },
      ],
      "working",
    ],
    ["codex", [{ type: "event_msg", payload: { type: "turn_aborted" } }], "idle"],
    ["pi", [{ type: "message", message: { role: "assistant", stopReason: "stop" } }], "idle"],
    ["pi", [{ type: "message", message: { role: "assistant", stopReason: "error", errorMessage: "no" } }], "error no"],
    ["omp", [{ type: "message", message: { role: "toolResult" } }, { type: "label" }], "working"],
    ["omp", [{ type: "title" }, {}], "nothing"],
  ])("of %s: %j is %s", async (agent, records, expected) => {
    const dated = (records as Json[]).map((record) => ({ ...record, timestamp: "2026-11-15T00:00:00Z" }));
    expect(await told(agent, dated)).toBe(expected);
  });

  it("are read from their end, whatever is there", () => {
    const home = tempHome();
    const long = JSON.stringify({ x: "y".repeat(400_000) });
    const path = home.write("t.jsonl", `${long}\n{"a":1}\nnot json\n[2]\n{"b":2}\n{"torn":`);
    expect(lastRecords(path)).toEqual([{ a: 1 }, { b: 2 }]);
    expect(lastRecords(join(home.path, "none"))).toEqual([]);
    writeFileSync(path, "");
    expect(lastRecords(path)).toEqual([]);
  });
});

describe("Claude Code's process file", () => {
  const recorded = readFileSync("src/agents/claude/fixtures/hooks/status-timeline.jsonl", "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Json);

  async function noted(note: Json, pid: number): Promise<string | undefined> {
    const home = tempHome();
    home.write(`.claude/sessions/${pid}.json`, JSON.stringify(note));
    const env: AgentEnv = { home: home.path, platform: "linux", vars: {} };
    return (await hooksOf("claude")).processState!(env, pid)?.state;
  }

  it("is read in every state of a recorded session, if it is the same process", async () => {
    const mine = { pid: process.pid, procStart: startTimeOf(process.pid) };
    for (const note of recorded) {
      const expected =
        note["status"] === "busy" ? "working" : note["waitingFor"] === "permission prompt" ? "permission" : "idle";
      expect(await noted({ ...note, ...mine }, process.pid)).toBe(expected);
    }
    expect(await noted({ ...asObject(recorded[0])!, pid: process.pid, procStart: "1" }, process.pid)).toBeUndefined();
    expect(await noted(recorded[0]!, 2 ** 22 - 7)).toBeUndefined();
  });
});
