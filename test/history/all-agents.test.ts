/** The recorded agents in one home: all are listed, and a broken store costs only its own sessions. */
import { spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { treeHash } from "../support/agents/conformance.ts";
import { AgentRegistry } from "../../src/agents/registry.ts";
import type { CostSummary } from "../../src/core/cost.ts";
import type { SessionSummary } from "../../src/core/session.ts";
import { createClient } from "../../src/index.ts";
import { titleFrom } from "../../src/lib/text/text.ts";
import { runJson, type CommandPlace } from "../support/run-cli.ts";
import { standingSessions } from "../support/standing-sessions.ts";
import { tempHome } from "../support/temp-home.ts";
import { warmCli, warmJson } from "../support/warm-cli.ts";
import { addTokens, fixturesOf, tokensOf } from "./recorded-home.ts";

interface Agent {
  name: string;
  /** The recorded home it comes from. */
  home: string;
  /** All its stores. */
  stores: string[];
}

/** Homes with another name, and stores that are not an agent's roots themselves. */
const OTHERS: Record<string, Partial<Agent>> = {
  hermes: { home: "live-home" },
  openclaw: { stores: ["main", "ops"].map((name) => `.openclaw/agents/${name}/agent/openclaw-agent.sqlite`) },
  opencode: { home: "home-wal" },
};

const registry = new AgentRegistry();
const AGENTS = await Promise.all(registry.names().sort().map(recordedAgent));

async function recordedAgent(name: string): Promise<Agent> {
  const { history } = await registry.get(name);
  const { home = "home", stores } = OTHERS[name] ?? {};
  const path = join(fixturesOf(name), home);
  const roots = history!.roots({ home: path, platform: "linux", vars: {} }).filter((root) => existsSync(root));
  const innermost = roots.filter((root) => !roots.some((other) => other.startsWith(`${root}/`)));
  return { name, home, stores: stores ?? innermost.flatMap(databasesOrAll).map((store) => relative(path, store)) };
}

/** Of a directory with databases in it, only those are the store. */
function databasesOrAll(root: string): string[] {
  const names = statSync(root).isDirectory() ? readdirSync(root).filter((name) => name.endsWith(".db")) : [];
  return names.length === 0 ? [root] : names.map((name) => join(root, name));
}

interface Report {
  agent: string;
  sessions: number;
  parsed: number;
  skipped: { path: string; reason: string }[];
  damagedLines: number;
}

function homeOfAll(): string {
  const { path } = tempHome();
  for (const { name, home } of AGENTS) cpSync(join(fixturesOf(name), home), path, { recursive: true });
  chmodSync(path, 0o755);
  return path;
}

function perAgent(rows: readonly SessionSummary[]): Record<string, string[]> {
  const ids: Record<string, string[]> = Object.fromEntries(AGENTS.map(({ name }) => [name, []]));
  for (const { agent, sessionId } of rows) ids[agent]!.push(sessionId);
  for (const list of Object.values(ids)) list.sort();
  return ids;
}

async function listed(home: string): Promise<Record<string, string[]>> {
  const { sessions } = createClient({ env: { home, platform: "linux", vars: {} } });
  return perAgent(await sessions.listAll({ limit: 1000, counts: false }));
}

/** amux's own files go elsewhere, so that the home stays unchanged. */
async function json<T>(args: readonly string[], place: CommandPlace): Promise<T> {
  return warmJson<T>(args, { ...place, vars: { ...place.vars, AMUX_HOME: join(tempHome().path, "amux") } });
}

const ALL = ["--limit", "1000"];

it("an unnamed fork of any agent is titled by the first prompt of its conversation, as its parent is", async () => {
  const sessions = standingSessions(homeOfAll());
  const rows = await sessions.listAll({ limit: 1000, counts: false });
  const named: string[] = [];
  const unnamed = new Set<string>();
  for (const { agent, sessionId, title, forkedFrom } of rows) {
    if (forkedFrom === undefined) continue;
    const { messages } = await sessions.get(agent, sessionId);
    const prompt = titleFrom(messages.find(({ role }) => role === "user")?.content);
    if (title === prompt) unnamed.add(agent);
    else named.push(`${agent}: ${title}`);
  }
  expect([...unnamed].sort()).toEqual(["claude", "codex", "droid", "grok", "kilo", "omp", "pi"]);
  // What the agents' own stores call them.
  expect(named.sort()).toEqual([
    "cn: Summary: x is 1, there is no y.",
    "copilot: paid-wrap",
    "goose: Discount in the cart",
    "kimi: Fork: My named session",
    "qwen: My named session",
  ]);
});

it("sessions of all agents are listed, priced and checked together, and nothing is written", async () => {
  const home = homeOfAll();
  const before = treeHash(home);
  const [rows, costs, doctor, ...alone] = await Promise.all([
    json<SessionSummary[]>(["sessions", "list", ...ALL], { home }),
    json<CostSummary>(["cost", "report", "--group-by", "agent"], { home }),
    json<Report[]>(["doctor"], { home }),
    ...AGENTS.map(({ name, home: path }) => listed(join(fixturesOf(name), path))),
  ]);
  const together = perAgent(rows);
  expect(together).toEqual(Object.fromEntries(AGENTS.map(({ name }, index) => [name, alone[index]![name]])));
  const times = rows.map(({ updatedAt }) => Date.parse(String(updatedAt)));
  expect(times).toEqual([...times].sort((a, b) => b - a));

  expect(Object.keys(costs.breakdowns!).sort()).toEqual(AGENTS.map(({ name }) => name));
  expect(tokensOf(costs)).toEqual(addTokens(Object.values(costs.breakdowns!).map(tokensOf)));
  expect(costs.sessionCount).toBeGreaterThan(100);

  const expected = AGENTS.map(({ name }) => {
    const sessions = together[name]!.length;
    return { agent: name, sessions, parsed: sessions, skipped: [] };
  });
  expect(doctor.map(({ agent, sessions, parsed, skipped }) => ({ agent, sessions, parsed, skipped }))).toEqual(
    expected,
  );
  expect(treeHash(home)).toBe(before);
});

type Damage = (path: string, isDirectory: boolean) => void;

function overwriteFiles(path: string, change: (bytes: Buffer) => Uint8Array | string): void {
  if (!statSync(path).isDirectory()) return writeFileSync(path, change(readFileSync(path)));
  for (const name of readdirSync(path)) overwriteFiles(join(path, name), change);
}

function replace(path: string, put: () => void): void {
  rmSync(path, { recursive: true });
  put();
}

const DAMAGES: { how: string; damage: Damage; why: RegExp | undefined; some?: boolean }[] = [
  { how: "missing", damage: (path) => rmSync(path, { recursive: true }), why: undefined },
  {
    how: "empty",
    damage: (path, isDirectory) => replace(path, () => (isDirectory ? mkdirSync(path) : writeFileSync(path, ""))),
    why: undefined,
  },
  {
    how: "no store at all",
    damage: (path) => overwriteFiles(path, () => "Nothing that any agent wrote.\n".repeat(200)),
    why: /not a database|malformed|no (readable )?record|No .* can be read|names no session|SyntaxError/,
  },
  {
    how: "corrupt",
    // Every 37th byte after the first hundred; some records stay intact.
    damage: (path) =>
      overwriteFiles(path, (bytes) => bytes.map((byte, at) => (at >= 100 && at % 37 === 0 ? byte ^ 0x5a : byte))),
    why: /malformed|no (readable )?record|No .* can be read|names no session|SyntaxError/,
    some: true,
  },
  {
    how: "replaced by something of another kind",
    damage: (path, isDirectory) => replace(path, () => (isDirectory ? writeFileSync(path, "") : mkdirSync(path))),
    why: /is (not )?a directory/,
  },
  {
    how: "a link to itself",
    damage: (path) => replace(path, () => symlinkSync(path, path)),
    why: /ELOOP/,
  },
];

describe.each(DAMAGES)("a store that is $how", ({ how, damage, why, some = false }) => {
  it("loses only its own sessions, some agents after the others", async () => {
    const home = homeOfAll();
    const left = await listed(home);
    // In two halves, by another bit of their numbers each time: any two agents are apart in one of them.
    const bit = DAMAGES.findIndex((each) => each.how === how) % Math.ceil(Math.log2(AGENTS.length));
    for (const half of [0, 1]) {
      const damaged = AGENTS.filter((_, index) => ((index >> bit) & 1) === half);
      for (const store of damaged.flatMap(({ stores }) => stores))
        damage(join(home, store), statSync(join(home, store)).isDirectory());
      const now = await listed(home);
      for (const { name } of damaged) {
        const lost = left[name]!;
        left[name] = some ? now[name]!.filter((id) => lost.includes(id)) : [];
        expect(left[name]!.length, name).toBeLessThan(lost.length);
      }
      expect(now).toEqual(left);
    }
    const before = treeHash(home);
    const [list, doctor] = await Promise.all([
      json<SessionSummary[]>(["sessions", "list", ...ALL], { home }),
      json<Report[]>(["doctor"], { home }),
    ]);
    expect(perAgent(list)).toEqual(left);
    const reasons = doctor.map(({ agent, skipped, damagedLines }) => [
      agent,
      skipped.some(({ reason }) => why?.test(reason)) || (some && damagedLines > 0),
    ]);
    expect(reasons).toEqual(AGENTS.map(({ name }) => [name, why !== undefined]));
    expect(treeHash(home)).toBe(before);
  });
});

it("an unreadable store loses only its own sessions, and doctor says so", async () => {
  // Root can read everything.
  const user = process.getuid?.() === 0 ? { uid: 65_534 } : {};
  const home = homeOfAll();
  const whole = await listed(home);
  const closed = AGENTS.filter((_, index) => index % 2 === 0);
  for (const { stores } of closed) for (const store of stores) chmodSync(join(home, store), 0);
  onTestFinished(() => closed.flatMap(({ stores }) => stores).forEach((store) => chmodSync(join(home, store), 0o755)));
  const [list, doctor] = await Promise.all([
    runJson<SessionSummary[]>(["sessions", "list", ...ALL], { home, ...user }),
    runJson<Report[]>(["doctor"], { home, ...user }),
  ]);
  const empty = Object.fromEntries(closed.map(({ name }) => [name, []]));
  expect(perAgent(list)).toEqual({ ...whole, ...empty });
  const refused = doctor.map(({ agent, skipped }) => [
    agent,
    skipped.filter(({ reason }) => /EACCES|unable to open/.test(reason)).length,
  ]);
  expect(refused).toEqual(AGENTS.map((agent) => [agent.name, closed.includes(agent) ? agent.stores.length : 0]));
});

describe("a database whose owner holds it with BEGIN EXCLUSIVE", () => {
  const DATABASES = [
    ".codex/state_5.sqlite",
    ".copilot/session-store.db",
    ".cursor/chats/b2445445c3589b090b1fa99d6b283c52/ecdb83c2-19e1-4e9f-ae46-719eea89905b/store.db",
    ".config/Cursor/User/globalStorage/state.vscdb",
    ".hermes/state.db",
    ".openclaw/agents/main/agent/openclaw-agent.sqlite",
    ".local/share/opencode/opencode.db",
  ];

  it("is read as before, without waiting, and the owner is not disturbed", async () => {
    const home = homeOfAll();
    const whole = await listed(home);
    const release = await lock(DATABASES.map((path) => join(home, path)));
    const before = treeHash(home);
    const [list, doctor, costs] = await Promise.all([
      json<SessionSummary[]>(["sessions", "list", ...ALL], { home }),
      json<Report[]>(["doctor"], { home }),
      warmCli(["cost", "report", "--no-index"], { home }),
    ]);
    expect(perAgent(list)).toEqual(whole);
    expect(doctor.flatMap(({ skipped }) => skipped)).toEqual([]);
    expect(costs.code).toBe(0);
    expect(treeHash(home)).toBe(before);
    expect(await release()).toBe("locked, released");
  });

  /** Writes without committing, prints that, and rolls back when its input ends. */
  const OWNER = `
    const { DatabaseSync } = require("@photostructure/sqlite");
    const databases = process.argv.slice(1).map((path) => new DatabaseSync(path));
    for (const database of databases) {
      database.exec("BEGIN EXCLUSIVE; CREATE TABLE not_yet (id INTEGER); INSERT INTO not_yet VALUES (1)");
    }
    process.stdout.write("locked");
    process.stdin.resume().on("end", () => {
      for (const database of databases) database.exec("ROLLBACK");
      process.stdout.write(", released");
    });
  `;

  /** Another process, because a process is not stopped by its own locks. Returns how to end it. */
  async function lock(paths: string[]): Promise<() => Promise<string>> {
    const owner = spawn(process.execPath, ["-e", OWNER, ...paths], {
      cwd: import.meta.dirname,
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void owner.kill());
    let said = "";
    const ended = new Promise<string>((resolve) => owner.on("close", () => resolve(said)));
    await new Promise<void>((resolve) => {
      owner.stdout.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        resolve();
      });
      void ended.then(() => resolve());
    });
    return () => {
      owner.stdin.end();
      return ended;
    };
  }
});

it("experimental agents are marked in every list, and JSON has their plain names", async () => {
  const { path: home } = tempHome();
  for (const agent of ["goose", "vscode"]) cpSync(join(fixturesOf(agent), "home"), home, { recursive: true });
  const asked = [
    ["sessions", "list"],
    ["sessions", "search", "cart"],
    ["cost", "report", "--group-by", "agent"],
  ];
  for (const [index, { stdout }] of (await Promise.all(asked.map((args) => warmCli(args, { home })))).entries()) {
    expect(stdout, asked[index]!.join(" ")).toContain("goose (experimental)");
    expect(stdout, asked[index]!.join(" ")).toContain("vscode (experimental)");
  }
  const rows = await json<SessionSummary[]>(["sessions", "list"], { home });
  expect([...new Set(rows.map(({ agent }) => agent))].sort()).toEqual(["goose", "vscode"]);
});

it("VS Code's program is never run: it opens windows", async () => {
  const { path: home } = tempHome();
  const ran = join(home, "ran");
  mkdirSync(join(home, "bin"));
  writeFileSync(join(home, "bin/code"), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
  const vars = { PATH: `${join(home, "bin")}:${process.env["PATH"]!}` };
  const [agents, doctor, run] = await Promise.all([
    json<{ installed: boolean }[]>(["agents", "vscode"], { home, vars }),
    warmCli(["doctor", "vscode"], { home, vars }),
    warmCli(["run", "vscode", "-d"], { home, vars }),
  ]);
  expect([agents.map(({ installed }) => installed), doctor.code, run.code]).toEqual([[false], 0, 6]);
  expect(run.stderr).toContain("VS Code Copilot chat (experimental) cannot be started in a terminal.");
  expect(existsSync(ran)).toBe(false);
});
