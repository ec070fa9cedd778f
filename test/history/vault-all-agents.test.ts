/** Every recorded home of every agent: what the vault copied is found, read and priced as before, and comes back byte for byte. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempHome } from "../support/temp-home.ts";
import { AgentRegistry } from "../../src/agents/registry.ts";
import type { AgentEnv } from "../../src/agents/adapter.ts";
import { SessionManager } from "../../src/history/manager.ts";
import { Vault } from "../../src/history/vault/vault.ts";

const registry = new AgentRegistry();
const AGENTS = join(import.meta.dirname, "../../src/agents");

const adapters = await Promise.all(registry.names().map((name) => registry.get(name)));
const kept = adapters.filter(({ capabilities }) => capabilities.sessionPersistence === "file");

const HOMES = kept.flatMap(({ name: agent }) => {
  const fixtures = join(AGENTS, agent, "fixtures");
  const homes = existsSync(fixtures) ? readdirSync(fixtures).filter((name) => name.includes("home")) : [];
  return homes.map((home) => ({ agent, home, path: join(fixtures, home) }));
});

/** One home of each agent is also searched, and read with an index. */
const FIRST = new Map(HOMES.toReversed().map(({ agent, home }) => [agent, home]));

/** Agents with all their sessions in files. */
const WHOLE = new Set(["claude", "codex", "copilot", "gemini", "omp", "pi"]);

/** How many sessions of a home are also read in full: the reports read all of them. */
const READ = 4;

/** Everything that a user sees of an agent's sessions. */
async function seen(
  agent: string,
  env: AgentEnv,
  { index, isSearched }: { index: "use" | "none"; isSearched: boolean },
): Promise<Record<string, unknown>> {
  const manager = new SessionManager(registry, env);
  const rows = (await manager.list(agent, { limit: Infinity, index })).sort((a, b) =>
    a.sessionId < b.sessionId ? -1 : 1,
  );
  const sessions = [];
  for (const { sessionId } of index === "none" ? rows.slice(0, READ) : [])
    sessions.push(JSON.parse(await manager.export(agent, sessionId, "json")));
  const cost = await manager.totalCost({ agent, groupBy: "session", index });
  const hits = isSearched ? await manager.search({ text: "the", agent, index, limit: 1000 }) : [];
  await manager.idle();
  return withoutMark({
    rows,
    ...(index === "none" && { sessions }),
    cost,
    hits: hits.map(({ sessionId }) => sessionId).sort(),
  });
}

function withoutMark(value: unknown): Record<string, unknown> {
  const drop = (key: string, part: unknown): unknown => (key === "inVault" ? undefined : part);
  return JSON.parse(JSON.stringify(value), drop) as Record<string, unknown>;
}

/** Contents and times of all files, without amux's own. */
function filesOf(home: string): Map<string, string> {
  const paths = readdirSync(home, { recursive: true, encoding: "utf8" }).filter(
    (path) => !path.startsWith(".agent-mux"),
  );
  const files = paths.map((path) => join(home, path)).filter((path) => statSync(path).isFile());
  return new Map(files.map((path) => [path, `${Math.round(statSync(path).mtimeMs)} ${readFileSync(path, "latin1")}`]));
}

describe.each(HOMES)("$agent's $home", ({ agent, home: name, path }) => {
  it("is the same from the vault, and comes back as it was", async () => {
    const home = tempHome().path;
    cpSync(path, home, { recursive: true, preserveTimestamps: true });
    const env: AgentEnv = { home, platform: "linux", vars: {} };
    const vault = new Vault(env);
    const isSearched = FIRST.get(agent) === name;
    const before = await seen(agent, env, { index: "none", isSearched });
    vault.enable();
    expect((await vault.sync(registry)).failed).toEqual([]);
    const copied = [...new Set(vault.sessions().flatMap(({ files }) => files))];
    const original = filesOf(home);
    for (const file of copied) rmSync(file.path, { force: true });
    expect(await seen(agent, env, { index: "none", isSearched })).toEqual(before);
    if (isSearched) {
      const { sessions: _, ...short } = before;
      expect(await seen(agent, env, { index: "use", isSearched })).toEqual(short);
    }
    const rows = await new SessionManager(registry, env).list(agent, { limit: Infinity, counts: false });
    expect(rows.filter(({ inVault }) => inVault)).toHaveLength(vault.status().onlyInVault);
    if (WHOLE.has(agent)) expect(rows.filter(({ inVault }) => !inVault).map(({ sessionId }) => sessionId)).toEqual([]);
    const states = vault.restore(copied).map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(copied.length === 0 ? [] : ["restored"]));
    expect(filesOf(home)).toEqual(original);
  });
});
