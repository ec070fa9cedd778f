/** Records that no agent wrote: reading ends with a session, nothing, or a named error. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { AgentMuxError, createClient, type AgentAdapter } from "../../src/index.ts";
import { tempHome } from "../support/temp-home.ts";
import { fixturesOf } from "./recorded-home.ts";

/** A small transcript of every text layout. */
const TRANSCRIPTS = [
  { agent: "claude", home: "home", part: "2f8a60a3" },
  { agent: "cn", home: "home", part: "6129953a" },
  { agent: "codex", home: "home", part: "rollout-2026-11-15-9cd602bb" },
  { agent: "codex", home: "home", part: "47510ba4" },
  { agent: "codex", home: "home", part: "01a1dce3-a707" },
  { agent: "codex", home: "home", part: "01a1dce4-a2f9" },
  { agent: "copilot", home: "home", part: "c420530c-5088-4925-a7a6-53cf03eb50db/events.jsonl" },
  { agent: "copilot", home: "home-0.0.340", part: "session_a16cff5b" },
  { agent: "cursor", home: "home", part: "60a535be-12db-49e0-ae12-7cd4dc027974.jsonl" },
  { agent: "cursor", home: "spec-impl-home", part: "abc123" },
  { agent: "gemini", home: "home", part: "session-2026-10-08T10-00-25c2ee69" },
  { agent: "gemini", home: "home-0.10.0", part: "10fbd09d" },
  { agent: "hermes", home: "spec-impl-home", part: "abc123" },
  { agent: "kimi", home: "home", part: "session_56c2b1bf" },
  { agent: "omp", home: "home", part: "01a1dcc5-90a6" },
  { agent: "openclaw", home: "home-clawdbot", part: "531a6347" },
  { agent: "openclaw", home: "home-documented", part: "telegram" },
  { agent: "opencode", home: "home-0.5.29", part: ".json" },
  { agent: "droid", home: "home", part: "5845f27b" },
  { agent: "grok", home: "home", part: "01a1ebc7-6bac" },
  { agent: "pi", home: "home", part: "01a1dca3-d5ef" },
  { agent: "qwen", home: "home", part: "246ec6d2" },
];

/** Deeper than can be written again: `JSON.stringify` recurses. */
const DEPTH = 10_000;
const DEEP = `${'{"a":'.repeat(DEPTH)}1${"}".repeat(DEPTH)}`;

/** JSON values, some of which make a careless `String(value)` throw. */
const HOSTILE = [
  ...["null", "true", "-1", "1e308", "9007199254740993", '""', '"x"', '"1794707448596"', '"garbage"', "[]", "{}"],
  ...['{"toString":1}', '["a",null,{}]', '"../../x"', '"\\u0000\\u001b]0;x\\u0007"', '"\\ud800"', '"__proto__"'],
  JSON.stringify("x".repeat(20_000)),
  DEEP,
  `${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}`,
  JSON.stringify(DEEP),
];

/** A seeded generator of numbers below one. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Enough for every bug that thousands of rounds found, and quick enough for every run. */
const ROUNDS = 8;
const CUTS = 5;

const MARK = "@@hostile@@";

/** The text with one value of one of its records replaced. */
function withHostileValue(text: string, random: () => number): string {
  const any = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const lines = isJson(text) ? [text] : text.split("\n").filter((line) => line !== "");
  const at = Math.floor(random() * lines.length);
  const record: unknown = JSON.parse(lines[at]!);
  lines[at] = replaced(record, any([...places(record)]), any(HOSTILE));
  return lines.join("\n");
}

function replaced(record: unknown, [holder, key]: Place, json: string): string {
  (holder as Record<string, unknown>)[key] = MARK;
  return JSON.stringify(record).replace(JSON.stringify(MARK), () => json);
}

type Place = [holder: object, key: string];

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

function* places(value: unknown): Generator<Place> {
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    yield [value, key];
    yield* places((value as Record<string, unknown>)[key]);
  }
}

interface Copied {
  home: string;
  files: { path: string; text: string }[];
}

/** A home with only those files of a recorded one whose path contains `part`. */
function homeWith({ agent, home, part }: (typeof TRANSCRIPTS)[number]): Copied {
  const recorded = join(fixturesOf(agent), home);
  const { path: copy } = tempHome();
  const names = readdirSync(recorded, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(recorded.length + 1))
    .filter((name) => name.includes(part));
  const files = names.map((name) => {
    const path = join(copy, name);
    mkdirSync(dirname(path), { recursive: true });
    const text = readFileSync(join(recorded, name), "utf8");
    writeFileSync(path, text);
    return { path, text };
  });
  return { home: copy, files };
}

/** Lists, reads and exports; returns errors that are not amux's own. */
async function mishaps(agent: string, home: string): Promise<string[]> {
  const { sessions } = createClient({ env: { home, platform: "linux", vars: {} } });
  const found: string[] = [];
  for (const { sessionId } of await sessions.list(agent)) {
    try {
      JSON.parse(await sessions.export(agent, sessionId, "json"));
      await sessions.export(agent, sessionId, "markdown");
    } catch (error) {
      if (!(error instanceof AgentMuxError)) found.push((error as Error).stack!);
    }
  }
  return found;
}

describe.each(TRANSCRIPTS)("$agent, $home, $part", (transcript) => {
  it("is read to the end or refused, whatever value it contains", async () => {
    const { home, files } = homeWith(transcript);
    expect(
      await createClient({ env: { home, platform: "linux", vars: {} } }).sessions.list(transcript.agent),
    ).not.toEqual([]);
    const random = seeded(transcript.part.length);
    for (let round = 0; round < ROUNDS; round++) {
      const { path, text } = files[Math.floor(random() * files.length)]!;
      if (text.length < 3) continue;
      writeFileSync(path, withHostileValue(text, random));
      expect(await mishaps(transcript.agent, home)).toEqual([]);
      writeFileSync(path, text);
    }
  });

  it("is read to the end or refused, wherever it is cut off, doubled or reordered", async () => {
    const { home, files } = homeWith(transcript);
    const { path, text } = files.sort((a, b) => b.text.length - a.text.length)[0]!;
    const lines = text.split("\n");
    const changed = [
      ...Array.from({ length: CUTS }, (_, step) => text.slice(0, Math.floor((text.length * step) / CUTS))),
      [...lines].reverse().join("\n"),
      lines.flatMap((line) => [line, line]).join("\n"),
      `${text}\n${text}`,
    ];
    for (const version of changed) {
      writeFileSync(path, version);
      expect(await mishaps(transcript.agent, home)).toEqual([]);
    }
  });
});

/** Each of these once made a reader throw. */
const ONCE = [
  { agent: "claude", home: "home", part: "2f8a60a3", keys: ["content", "input", "toolUseResult"], json: DEEP },
  { agent: "codex", home: "home", part: "01a1dce3-a707", keys: ["message", "info", "instructions"], json: DEEP },
  { agent: "codex", home: "home", part: "01a1dce3-a707", keys: ["arguments"], json: JSON.stringify(DEEP) },
  { agent: "gemini", home: "home", part: "session-2026-10-08T10-00-25c2ee69", keys: ["args", "output"], json: DEEP },
  { agent: "gemini", home: "home", part: "session-2026-10-08T10-00-25c2ee69", keys: ["type"], json: '{"toString":1}' },
  {
    agent: "cursor",
    home: "home",
    part: "60a535be-12db-49e0-ae12-7cd4dc027974.jsonl",
    keys: ["role"],
    json: '{"toString":1}',
  },
  { agent: "hermes", home: "spec-impl-home", part: "abc123", keys: ["role"], json: '{"toString":1}' },
  { agent: "opencode", home: "home-0.5.29", part: ".json", keys: ["role", "type"], json: '{"toString":1}' },
];

it.each(ONCE)("$agent reads on past $keys with something else in them", async ({ keys, json, ...transcript }) => {
  const { home, files } = homeWith(transcript);
  for (const { path, text } of files) {
    const lines = isJson(text) ? [text] : text.split("\n").filter((line) => line !== "");
    const hostile = lines.map((line) => {
      const record: unknown = JSON.parse(line);
      const place = [...places(record)].find(([, key]) => keys.includes(key));
      return place === undefined ? line : replaced(record, place, json);
    });
    // The first records stay unchanged, so that there is a session to read.
    writeFileSync(path, [...lines.slice(0, 2), ...hostile].join("\n"));
  }
  expect(await mishaps(transcript.agent, home)).toEqual([]);
});

describe("an adapter that fails unexpectedly", () => {
  const failing = (history: Partial<NonNullable<AgentAdapter["history"]>>): AgentAdapter => ({
    name: "failing",
    displayName: "Failing",
    command: "failing",
    capabilities: { canResume: false, canFork: false, sessionPersistence: "file" },
    history: {
      roots: () => [],
      sessionDir: () => "/nowhere",
      listSessions: () => [{ sessionId: "s", path: "/nowhere/s", files: [], updatedMs: 1 }],
      summarize: () => ({ title: "A session" }),
      read: () => undefined,
      ...history,
    },
  });
  const mistake = (): never => {
    throw new TypeError("of its author");
  };

  it.each([
    {
      how: "listing",
      history: { listSessions: mistake },
      path: "/nowhere",
      reason: "could not be listed: of its author",
    },
    {
      how: "summarising",
      history: { summarize: mistake },
      path: "/nowhere/s",
      reason: "could not be summarised: of its author",
    },
    { how: "counting", history: { read: mistake }, path: "/nowhere/s", reason: "of its author" },
  ])("in $how loses no other agent's sessions, and is reported", async ({ history, path, reason }) => {
    const { home } = homeWith(TRANSCRIPTS[0]!);
    const client = createClient({ env: { home, platform: "linux", vars: {} } });
    client.adapters.register(failing(history));
    let told = 0;
    const rows = await client.sessions.listAll({ onSkipped: (files) => void (told += files) });
    expect(rows.filter(({ agent }) => agent !== "failing")).toHaveLength(1);
    // A sum needs no head, and a list may need no counts: the one that needed it reports it.
    const { totalUsd, skipped } = await client.sessions.totalCost({ agent: "failing" });
    expect({ totalUsd, isTold: told + skipped > 0 }).toEqual({ totalUsd: 0, isTold: true });
    const [catalog] = await client.sessions.catalogs("failing");
    await catalog!.tallies((await catalog!.entries()).keys());
    expect(catalog!.notes.skipped).toEqual([{ path, reason }]);
  });
});
