/** A home with sessions of Claude Code, and its vault. */
import { readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { AgentEnv } from "../../src/agents/adapter.ts";
import { AgentRegistry } from "../../src/agents/registry.ts";
import type { SessionSummary } from "../../src/core/session.ts";
import { SessionManager } from "../../src/history/manager.ts";
import { Vault } from "../../src/history/vault/vault.ts";
import { tempHome } from "./temp-home.ts";

export const registry = new AgentRegistry();
export const DAY = 86_400_000;

interface Place {
  env: AgentEnv;
  vault: Vault;
  /** Writes a session of Claude Code, last changed some days ago; returns its path. */
  write(id: string, text: string, days?: number): string;
  list(): Promise<SessionSummary[]>;
}

export function place(): Place {
  const home = tempHome();
  const env: AgentEnv = { home: home.path, platform: "linux", vars: {} };
  return {
    env,
    vault: new Vault(env),
    write(id, text, days = 1) {
      const path = home.write(`.claude/projects/-p/${id}.jsonl`, record(id, text));
      const time = (Date.now() - days * DAY) / 1000;
      utimesSync(path, time, time);
      return path;
    },
    list: () => new SessionManager(registry, env).list("claude", { limit: 100, index: "none" }),
  };
}

export function record(id: string, text: string): string {
  const message = { role: "user", content: text };
  const at = "2026-11-01T10:00:00.000Z";
  return `${JSON.stringify({ type: "user", uuid: id, parentUuid: null, sessionId: id, cwd: "/p", timestamp: at, message })}\n`;
}

export const ID = (n: number): string => `0000000${n}-0000-4000-8000-000000000000`;

export function objectsIn(env: AgentEnv): string[] {
  const objects = join(env.home, ".agent-mux/vault/objects");
  const names = readdirSync(objects, { recursive: true, encoding: "utf8" });
  return names.map((name) => join(objects, name)).filter((path) => statSync(path).isFile());
}
