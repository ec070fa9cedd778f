/** Lists whose rows are made where files are read have to be, byte for byte, what they are when each row is made here. */
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { damaged, randomFrom } from "../../test/support/damaged-file.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import type { AgentEnv, History } from "../agents/adapter.ts";
import { ReadNotes } from "../agents/read-notes.ts";
import { createClient } from "../index.ts";
import { dateOrder } from "./date-order.ts";
import { listTextOf, rowPieces } from "./list-text.ts";
import type { SessionManager } from "./manager.ts";
import type { SessionListOptions } from "./options.ts";
import { MadeHome } from "./testing/made-home.ts";

const AGENTS = join(import.meta.dirname, "../agents");

function envOf(home: string): AgentEnv {
  return { home, platform: "linux", vars: {} };
}

function sessionsIn(home: string): SessionManager {
  return createClient({ env: envOf(home) }).sessions as SessionManager;
}

async function historyOf(agent: string): Promise<History> {
  return (await createClient().adapters.get(agent)).history!;
}

/** Compares both ways for one question; tells whether they were two. */
async function expectSame(home: string, options: SessionListOptions = {}): Promise<boolean> {
  const question = { limit: 1e6, ...options, counts: false, index: "none" } as const;
  const skipped = [0, 0];
  const sessions = sessionsIn(home);
  const packed = await sessions.listText(undefined, { ...question, onSkipped: (files) => void (skipped[0] = files) });
  const rows = await sessions.listAll({ ...question, onSkipped: (files) => void (skipped[1] = files) });
  expect(rows.length).toBeGreaterThan(0);
  expect(String(packed)).toBe(listTextOf(rows));
  expect(skipped[0]).toBe(skipped[1]);
  return Buffer.isBuffer(packed);
}

describe("a packed list", () => {
  it("is the same over sessions as they come and go, are copied and cut off", async () => {
    for (const seed of [1, 2, 3]) {
      const home = tempHome();
      const made = new MadeHome(home.path, seed);
      for (let step = 0; step < 40; step++) made.change();
      expect(await expectSame(home.path)).toBe(true);
      expect(await expectSame(home.path, { limit: 5 })).toBe(true);
      expect(await expectSame(home.path, { limit: 7, sortDirection: "asc" })).toBe(true);
    }
  });

  it.each(readdirSync(AGENTS).filter((name) => hasFixtures(name)))("is the same over what %s left", async (agent) => {
    const home = tempHome(join(AGENTS, agent, "fixtures/home"));
    expect(await expectSame(home.path)).toBe(true);
  });

  it("is made as every other where a session's title is in another one's file", async () => {
    const home = tempHome();
    writeClaude(home, 1, {});
    writeClaude(home, 2, {});
    const summary = { type: "summary", summary: "What it was about", leafUuid: uuid(6001) };
    appendFileSync(join(home.path, `.claude/projects/-p/${uuid(2)}.jsonl`), `${JSON.stringify(summary)}\n`);
    expect(await expectSame(home.path)).toBe(false);
  });

  it("is the same over damaged files", async () => {
    const random = randomFrom(77);
    for (let round = 0; round < 12; round++) {
      const home = tempHome();
      const made = new MadeHome(home.path, 30 + round);
      for (let step = 0; step < 10; step++) made.change();
      for (const path of [...made.claude, ...made.codex])
        if (random(2) === 0) writeFileSync(path, damaged(readFileSync(path), random));
      await expectSame(home.path);
    }
  });

  it("is the same whatever texts are made of", async () => {
    const home = tempHome();
    TEXTS.forEach((text, index) => {
      writeClaude(home, index, { prompt: text });
      writeClaude(home, 100 + index, { cwd: `/home/${text}`, branch: text, version: text });
      writeClaude(home, 200 + index, { title: text });
      writeCodex(home, 300 + index, { prompt: text });
      writeCodex(home, 400 + index, { cwd: `/home/${text}`, parent: text, forkedFrom: text });
    });
    expect(await expectSame(home.path)).toBe(true);
  });

  it("has the same titles of whatever was said", async () => {
    const home = tempHome();
    const random = randomFrom(99);
    // Mostly ordinary characters, so that most titles are long enough to be cut.
    const characters = [
      ..."abcdefgh    éüß日本語–…",
      '"',
      "\\",
      "/",
      "\n",
      "\u00a0",
      "\u0085",
      "\u200b",
      "\u{1f600}",
      "\t",
    ];
    for (let n = 0; n < 300; n++) {
      const plain = 8 + random(characters.length - 8);
      const prompt = Array.from({ length: 1 + random(220) }, () => characters[random(plain)]!).join("");
      if (n % 2 === 0) writeClaude(home, n, { prompt: `x${prompt}` });
      else writeCodex(home, n, { prompt: `x${prompt}` });
    }
    expect(await expectSame(home.path)).toBe(true);
  });

  it("has the tags of runs, and titles from beside the transcripts", async () => {
    const home = tempHome();
    for (let index = 0; index < 4; index++) writeClaude(home, index, {});
    const run = { version: 1, runId: "r", agent: "claude", sessionId: uuid(1), tags: ["kept", "blue"] };
    home.write(".agent-mux/run-index.jsonl", `${JSON.stringify(run)}\n`);
    home.write(`.claude/projects/-p/${uuid(2)}/custom-title.json`, '{"customTitle":"Given"}');
    expect(await expectSame(home.path)).toBe(true);
    expect(String(await sessionsIn(home.path).listText("claude", { counts: false, index: "none" }))).toContain("Given");
  });

  it.each(["claude", "codex"])("packs ordinary sessions of %s", async (name) => {
    const home = tempHome();
    writeClaude(home, 1, {});
    writeCodex(home, 2, {});
    const history = await historyOf(name);
    const sources = history.listSessions(envOf(home.path), new ReadNotes());
    const packer = history.packRows!(rowPieces(name));
    expect(sources.map((source) => packer.pack(source))).toEqual([true]);
    expect(packer.rows()!.count).toBe(1);
  });

  it("is the same when several are asked for at once", async () => {
    const home = tempHome();
    const made = new MadeHome(home.path, 8);
    for (let step = 0; step < 40; step++) made.change();
    const question = { counts: false, index: "none", limit: 1e6 } as const;
    const lists = await Promise.all(
      Array.from({ length: 4 }, async () => sessionsIn(home.path).listText(undefined, question)),
    );
    const expected = listTextOf(await sessionsIn(home.path).listAll(question));
    for (const list of lists) expect(String(list)).toBe(expected);
  });

  it("is given up when another one is begun", async () => {
    const { packRows } = await historyOf("claude");
    const first = packRows!(rowPieces("claude"));
    const second = packRows!(rowPieces("claude"));
    expect([first.rows(), second.rows()?.count]).toEqual([undefined, 0]);
  });
});

describe("the order of dates", () => {
  it.each([10, 1e3, 1e12, 1e15])("is that of comparing them, up to %d apart", (range) => {
    const random = randomFrom(5);
    const times = Float64Array.from({ length: 300 }, () => Math.floor((random(1e6) / 1e6) * range));
    const idAt = (place: number): string => `id-${(place * 7919) % 300}`;
    for (const sign of [1, -1] as const) {
      const expected = Array.from(times.keys()).sort(
        (a, b) => sign * (times[a]! - times[b]!) || (idAt(a) < idAt(b) ? -1 : 1),
      );
      expect([...dateOrder(times, sign, idAt)!]).toEqual(expected);
    }
  });

  it("is not told where there is none", () => {
    expect(dateOrder(Float64Array.of(1, Number.NaN), 1, String)).toBeUndefined();
    expect(dateOrder(new Float64Array(), 1, String)).toHaveLength(0);
  });
});

const TEXTS = [
  'say "hi" \\ / and more',
  "two\nlines\tand  blanks ",
  "Grüße aus Köln",
  "日本語のタイトル",
  "é".repeat(99),
  "ä".repeat(100),
  "日".repeat(101),
  `${"語 ".repeat(60)}`,
  `${"ö".repeat(98)} ${"ö".repeat(9)}`,
  `${"ß".repeat(97)}  ${"x".repeat(9)}`,
  'übrig "quoted" \\ and – “more” • …',
  "a\u00a0b \u2003 c\u3000d\ufeff é",
  " é\u200bé \n",
  `${" é".repeat(300)}`,
  "\u{1f600}".repeat(60),
  "a".repeat(99),
  "b".repeat(100),
  "c".repeat(101),
  `${"d ".repeat(49)}dd `,
  `${"e".repeat(98)} ${"e".repeat(9)}`,
  `"${"\\".repeat(300)}`,
  "\u0085\u009b and \u202e, \u007f",
  "\u0001 \b \f",
  "half \ud83d of one",
  "f".repeat(3000),
  "g".repeat(1100),
  "x",
  "…",
];

interface Said {
  prompt?: string;
  title?: string;
  cwd?: string;
  branch?: string;
  version?: string;
  parent?: string;
  forkedFrom?: string;
}

function uuid(n: number): string {
  return `${String(n).padStart(8, "0")}-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

function at(n: number, second: number): string {
  return new Date(Date.UTC(2024, 1, 27) + n * 7_000_001 + second * 1001).toISOString();
}

function writeClaude(home: { write(name: string, text: string): string }, n: number, said: Said): void {
  const { prompt = "Which?", title, cwd = "/home/user", branch = "main", version = "2.1.3" } = said;
  const common = { sessionId: uuid(n), isSidechain: false, cwd, gitBranch: branch, version };
  const records = [
    { type: "user", uuid: uuid(n + 5000), ...common, timestamp: at(n, 0), message: { role: "user", content: prompt } },
    {
      type: "assistant",
      uuid: uuid(n + 6000),
      ...common,
      timestamp: at(n, 9),
      message: {
        id: `msg_${n}`,
        role: "assistant",
        model: "claude-opus-5",
        content: [{ type: "text", text: "That." }],
      },
    },
    ...(title === undefined ? [] : [{ type: "custom-title", customTitle: title, sessionId: uuid(n) }]),
  ];
  home.write(`.claude/projects/-p/${uuid(n)}.jsonl`, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
}

function writeCodex(home: { write(name: string, text: string): string }, n: number, said: Said): void {
  const { prompt = "Which?", cwd = "/home/user", parent, forkedFrom } = said;
  const record = (second: number, type: string, payload: object): object => ({
    timestamp: at(n, second),
    type,
    payload,
  });
  const header = {
    id: uuid(n),
    timestamp: at(n, 0),
    cwd,
    cli_version: "0.166.0",
    ...(parent === undefined ? {} : { parent_thread_id: parent }),
    ...(forkedFrom === undefined ? {} : { forked_from_id: forkedFrom }),
  };
  const records = [
    record(0, "session_meta", header),
    record(1, "turn_context", { turn_id: uuid(n + 1), cwd, model: "gpt-5.4" }),
    record(2, "event_msg", { type: "user_message", message: prompt }),
    record(3, "response_item", {
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "That." }],
    }),
  ];
  const name = `.codex/sessions/2026/05/01/rollout-2026-05-01T10-00-00-${uuid(n)}.jsonl`;
  home.write(name, records.map((each) => `${JSON.stringify(each)}\n`).join(""));
}

function hasFixtures(agent: string): boolean {
  return !agent.includes(".") && readdirSync(join(AGENTS, agent)).includes("fixtures");
}
