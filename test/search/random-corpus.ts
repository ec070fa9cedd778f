/** Homes full of random sessions for tests of the search: Claude Code's files and OpenCode's database. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import type { Random } from "./random.ts";

/** Words that are easy to match wrongly: parts of each other, other cases, scripts and forms. */
export const VOCABULARY = [
  "retry",
  "policy",
  "Retry",
  "retrying",
  "cafe",
  "café",
  "cafe\u0301",
  "CAFÉ",
  "ｃａｆｅ",
  "naïve",
  "naive",
  "getUserName",
  "username",
  "user_name",
  "userName",
  "HTTPServerError",
  "ERR_MODULE_NOT_FOUND",
  "node:fs",
  "src/lib/byte-scan.ts",
  "lib.byte.scan",
  "検索",
  "検索機能",
  "機能検索",
  "索引",
  "全文検索API",
  "한국어",
  "한국",
  "ｶﾞｽ",
  "ガス",
  "привет",
  "Привет",
  "ΟΔΟΣ",
  "οδός",
  "ﬁle",
  "file",
  "x²",
  "x2",
  "a",
  "İstanbul",
  "istanbul",
  "straße",
  "ılık",
  "ilik",
  "Łódź",
  "lodz",
  "œuvre",
  "oeuvre",
  "don't",
  "→",
  "—",
  "😀",
  "™",
  "q".repeat(70),
  "image",
  "Bash",
  "user",
  "tool",
  "7f3a",
  "line\nbreak",
  "tab\tbed",
  'quo"ted',
  "back\\slash",
  "slash/ed",
  "bell\u0007x",
];

export const SEPARATORS = [
  " ",
  " ",
  " ",
  "\n",
  ", ",
  "_",
  "-",
  ".",
  "/",
  "\\",
  '"',
  "\u00a0",
  "'",
  "(",
  "：",
  "\u001b[0m",
];
export const TOOLS = ["Bash", "Edit", "mcp__files__readFile"];
export const FILES = ["/home/me/src/lib/byte-scan.ts", "README.md", "/tmp/検索.txt", "src/café.ts"];
const MODELS = ["claude-opus-4-8", "claude-sonnet-5", "gpt-5.5"];
const DIRECTORIES = ["/home/me/dev/shop-api", "/home/me/dev/検索", "/srv/Café"];
const BRANCHES = ["main", "fix/retry-policy"];
export const T0 = Date.parse("2026-03-01T00:00:00Z");
const HOUR_MS = 3_600_000;

export function randomText(random: Random, longest: number): string {
  let text = "";
  for (let left = random.int(0, longest); left > 0; left--) text += random.pick(VOCABULARY) + random.pick(SEPARATORS);
  return text;
}

/** A Claude Code session whose lines can be added later. */
export class ClaudeSession {
  readonly id: string;
  readonly file: string;
  readonly lines: string[] = [];
  readonly #random: Random;
  readonly #cwd: string;
  readonly #branch: string;
  /** Writers escape different characters. */
  readonly #escapes: boolean;
  #leaf: string | null = null;
  #written = 0;
  #at: number;

  constructor(random: Random, home: string) {
    this.#random = random;
    this.id = random.uuid();
    this.#cwd = random.pick(DIRECTORIES);
    this.#branch = random.pick(BRANCHES);
    this.#escapes = random.chance(0.3);
    this.#at = T0 + random.int(0, 24 * 60) * HOUR_MS;
    this.file = join(home, ".claude/projects", this.#cwd.replace(/[^A-Za-z0-9]/g, "-"), `${this.id}.jsonl`);
    if (random.chance(0.3)) this.#add({ type: "ai-title", aiTitle: randomText(random, 5), sessionId: this.id });
  }

  /** Another session with the same first records. */
  fork(home: string): ClaudeSession {
    const copy = new ClaudeSession(this.#random, home);
    copy.lines.splice(0, Infinity, ...this.lines.map((line) => line.replaceAll(this.id, copy.id)));
    copy.#leaf = this.#leaf;
    copy.#at = this.#at;
    return copy;
  }

  /** Starts with the title of another session, as versions up to 1.0 did. */
  titles(other: ClaudeSession): this {
    const summary = randomText(this.#random, 6) || "title";
    this.lines.unshift(JSON.stringify({ type: "summary", summary, leafUuid: other.#leaf }));
    return this;
  }

  says(text: string): this {
    this.#record({ type: "user", message: { role: "user", content: text } });
    return this;
  }

  turns(count: number): this {
    for (let turn = 0; turn < count; turn++) this.#turn();
    return this;
  }

  #turn(): void {
    const random = this.#random;
    this.#record({ type: "user", message: { role: "user", content: randomText(random, 12) || "go on" } });
    if (random.chance(0.1)) {
      const content = `<system-reminder>${randomText(random, 5)}</system-reminder>`;
      this.#record({ type: "user", isMeta: true, message: { role: "user", content } });
    }
    const content: object[] = [];
    if (random.chance(0.3)) content.push({ type: "thinking", thinking: randomText(random, 6), signature: "c2ln" });
    if (random.chance(0.8)) content.push({ type: "text", text: randomText(random, 20) });
    const calls = Array.from({ length: random.int(0, 2) }, () => ({
      type: "tool_use",
      id: `toolu_${random.uuid()}`,
      name: random.pick(TOOLS),
      input: { file_path: random.pick(FILES), command: randomText(random, 5), n: random.int(0, 9) },
    }));
    const message = { id: `msg_${random.uuid()}`, role: "assistant", model: random.pick(MODELS) };
    this.#record({ type: "assistant", message: { ...message, content: [...content, ...calls] } });
    for (const call of calls) {
      const text = randomText(random, random.chance(0.1) ? 3000 : 20);
      const result = random.chance(0.2) ? [{ type: "image", source: { data: "iVBO".repeat(300) } }] : text;
      const results = [{ type: "tool_result", tool_use_id: call.id, content: result }];
      this.#record({ type: "user", message: { role: "user", content: results }, toolUseResult: { stdout: text } });
    }
  }

  #record(body: object): void {
    const uuid = this.#random.uuid();
    this.#at += this.#random.int(1, 60) * 1000;
    const place = { cwd: this.#cwd, sessionId: this.id, gitBranch: this.#branch, version: "2.1.0" };
    this.#add({ parentUuid: this.#leaf, ...body, uuid, timestamp: new Date(this.#at).toISOString(), ...place });
    this.#leaf = uuid;
  }

  #add(record: object): void {
    const json = JSON.stringify(record);
    const mixed = this.#random.chance(0.1);
    this.lines.push(
      this.#escapes ? json.replace(/[^\x20-\x7e]/g, (unit) => (mixed && unit < "\u3000" ? unit : escaped(unit))) : json,
    );
  }

  /** A sub-agent in its own file. */
  helper(): { file: string; text: string } {
    const id = `a${this.#random.uuid().replaceAll("-", "").slice(0, 16)}`;
    const record = (type: string, message: object): string =>
      JSON.stringify({
        type,
        isSidechain: true,
        agentId: id,
        uuid: this.#random.uuid(),
        parentUuid: null,
        message,
        sessionId: this.id,
        timestamp: new Date(this.#at).toISOString(),
      });
    const lines = [record("user", { role: "user", content: randomText(this.#random, 10) || "look" })];
    const file = join(dirname(this.file), this.id, "subagents", `agent-${id}.jsonl`);
    return { file, text: `${lines.join("\n")}\n` };
  }

  get text(): string {
    return `${this.lines.join("\n")}\n`;
  }

  /** What was added since the last write or call. */
  takeNew(): string {
    const added = this.lines.slice(this.#written);
    this.#written = this.lines.length;
    return added.map((line) => `${line}\n`).join("");
  }

  write(): void {
    put(this.file, this.text);
    this.#written = this.lines.length;
  }
}

function escaped(unit: string): string {
  return Array.from(
    { length: unit.length },
    (_, index) => `\\u${unit.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

export interface RandomHome {
  path: string;
  claude: ClaudeSession[];
  /** Adds sessions to the database. */
  addOpenCode(count: number): void;
}

export function randomHome(random: Random, path: string): RandomHome {
  const claude: ClaudeSession[] = [];
  for (let count = random.int(6, 14); count > 0; count--) {
    const parent = claude.length > 0 && random.chance(0.2) ? random.pick(claude) : undefined;
    const session = parent ? parent.fork(path) : new ClaudeSession(random, path);
    session.turns(random.int(1, 6));
    if (claude.length > 0 && random.chance(0.2)) session.titles(random.pick(claude));
    claude.push(session);
    session.write();
    if (random.chance(0.2)) {
      const helper = session.helper();
      put(helper.file, helper.text);
    }
  }
  const addOpenCode = openCodeWriter(random, join(path, ".local/share/opencode/opencode.db"));
  addOpenCode(random.int(2, 5));
  return { path, claude, addOpenCode };
}

/** The columns that a reader needs. */
const OPENCODE_TABLES = `
  CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT, revert TEXT,
    time_created INTEGER, time_updated INTEGER, time_archived INTEGER);
  CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
  CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);
`;

function openCodeWriter(random: Random, file: string): (count: number) => void {
  let sessions = 0;
  let parts = 0;
  return (count) => {
    mkdirSync(dirname(file), { recursive: true });
    const database = new DatabaseSync(file);
    if (sessions === 0) database.exec(OPENCODE_TABLES);
    for (let left = count; left > 0; left--) {
      const id = `ses_${String(sessions++).padStart(6, "0")}`;
      const at = T0 + random.int(0, 24 * 60) * HOUR_MS;
      database
        .prepare("INSERT INTO session (id, directory, title, time_created, time_updated) VALUES (?, ?, ?, ?, ?)")
        .run(id, random.pick(DIRECTORIES), randomText(random, 4) || "untitled", at, at);
      for (const { data, parts: texts, time } of openCodeMessages(random, at)) {
        const message = `msg_${id}_${time}`;
        const json = JSON.stringify({ time: { created: time, completed: time + 1 }, ...data });
        database.prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)").run(message, id, time, time, json);
        for (const part of texts) {
          const partId = `prt_${String(parts++).padStart(12, "0")}`;
          database.prepare("INSERT INTO part VALUES (?, ?, ?, ?)").run(partId, message, id, JSON.stringify(part));
        }
      }
    }
    database.close();
  };
}

interface OpenCodeMessage {
  time: number;
  data: object;
  parts: object[];
}

function* openCodeMessages(random: Random, at: number): Generator<OpenCodeMessage> {
  for (let turn = 0; turn < random.int(1, 4); turn++) {
    const time = at + turn * 1000;
    yield { time, data: { role: "user" }, parts: [{ type: "text", text: randomText(random, 10) || "go on" }] };
    const state = {
      status: "completed",
      input: { filePath: random.pick(FILES), command: randomText(random, 4) },
      output: randomText(random, 10),
      time: { start: time, end: time + 1 },
    };
    const tool = { type: "tool", callID: `call_${time}`, tool: random.pick(TOOLS), state };
    const parts: object[] = [
      { type: "reasoning", text: randomText(random, 4) },
      { type: "text", text: randomText(random, 12) },
    ];
    if (random.chance(0.5)) parts.push(tool);
    const data = { role: "assistant", modelID: random.pick(MODELS), providerID: "x", cost: 0 };
    yield { time: time + 500, data, parts };
  }
}
