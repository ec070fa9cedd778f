/** Hand-made homes, removed when the test (or the test file) that made them ends. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, onTestFinished } from "vitest";
import type { AgentEnv } from "../../../src/agents/adapter.ts";

/** A home with these files; `$HOME` in a variable stands for its path. */
export function madeHome(files: Record<string, string | Uint8Array> = {}, vars: Record<string, string> = {}): AgentEnv {
  const home = mkdtempSync(join(tmpdir(), "amux-home-"));
  afterwards(() => rmSync(home, { recursive: true, force: true }));
  const inHome = Object.entries(vars).map(([name, value]) => [name, value.replace("$HOME", home)]);
  const env: AgentEnv = { home, platform: "linux", vars: Object.fromEntries(inHome) as Record<string, string> };
  for (const [path, content] of Object.entries(files)) writeIn(env, path, content);
  return env;
}

/** A copy of a recorded home that a test may change. */
export function copiedHome(recorded: string): AgentEnv {
  const env = madeHome();
  cpSync(recorded, env.home, { recursive: true });
  return env;
}

/** Writes a file of the home and returns its path. */
export function writeIn(env: AgentEnv, path: string, content: string | Uint8Array): string {
  const file = join(env.home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

export function makeDatabase(path: string, ...statements: string[]): string {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path);
  // Nothing here has to survive a power cut.
  database.exec("PRAGMA synchronous = OFF");
  for (const statement of statements) database.exec(statement);
  database.close();
  return path;
}

/** Runs `use` while the database's owner is writing. */
export function whileLocked(path: string, use: () => void): void {
  const owner = new DatabaseSync(path);
  try {
    owner.exec("PRAGMA journal_mode = WAL; BEGIN EXCLUSIVE; CREATE TABLE half_done (x)");
    use();
  } finally {
    owner.close();
  }
}

function afterwards(cleanUp: () => void): void {
  try {
    onTestFinished(cleanUp);
  } catch {
    // Made outside of any test, for the whole file.
    afterAll(cleanUp);
  }
}
