/** A field that an agent renames is a change in its `format.ts` and nowhere else. */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import type { AgentAdapter, AgentEnv } from "./adapter.ts";
import { tallyOf } from "./in-memory.ts";
import { ReadNotes } from "./read-notes.ts";

const SOURCES = join(import.meta.dirname, "..");

/** By agent, five fields that its readers live on. */
const FIELDS: Record<string, string[]> = {
  claude: ["parentUuid", "isSidechain", "tool_use_id", "gitBranch", "output_tokens"],
};

describe.each(Object.entries(FIELDS))("a field of %s that has another name", (agent, fields) => {
  const fixtures = join(SOURCES, "agents", agent, "fixtures/home");

  it.each(fields)("(%s) is read when its format.ts knows it", async (field) => {
    const expected = saidBy(await adapterIn(SOURCES, agent), fixtures);
    const home = join(tempHome().path, "home");
    cpSync(fixtures, home, { recursive: true });
    // As long as it was: what is read of a file's ends is counted in bytes.
    const other = [...field].reverse().join("");
    rename(home, `"${field}":`, `"${other}":`);
    const sources = copyOfSources(agent);
    const format = join(sources, "agents", agent, "format.ts");
    const renamed = readFileSync(format, "utf8").replaceAll(`"${field}"`, `"${other}"`);
    // Without its new name nothing is the same, or this would say nothing.
    expect(saidBy(await adapterIn(SOURCES, agent), home)).not.toEqual(expected);
    writeFileSync(format, renamed);
    expect(saidBy(await adapterIn(sources, agent), home)).toEqual(expected);
  });
});

async function adapterIn(sources: string, agent: string): Promise<AgentAdapter> {
  const path = pathToFileURL(join(sources, "agents", agent, "index.ts")).href;
  return ((await import(/* @vite-ignore */ path)) as { default: AgentAdapter }).default;
}

/** The agent's own files are copied; all others are the ones that lie here. */
function copyOfSources(agent: string): string {
  const copy = join(tempHome().path, "src");
  mkdirSync(join(copy, "agents"), { recursive: true });
  for (const name of readdirSync(SOURCES)) if (name !== "agents") symlinkSync(join(SOURCES, name), join(copy, name));
  for (const name of readdirSync(join(SOURCES, "agents"))) {
    const [from, to] = [join(SOURCES, "agents", name), join(copy, "agents", name)];
    if (name === agent) cpSync(from, to, { recursive: true, filter: (path) => !path.includes("fixtures") });
    else symlinkSync(from, to);
  }
  return copy;
}

function rename(directory: string, from: string, to: string): void {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    writeFileSync(path, readFileSync(path, "latin1").replaceAll(from, to), "latin1");
  }
}

/** Everything that is told of the sessions in a home: heads, messages, bills, sub-agents. */
function saidBy({ history }: AgentAdapter, home: string): unknown[] {
  const env: AgentEnv = { home, platform: "linux", vars: {} };
  const notes = new ReadNotes();
  return history!.listSessions(env, notes).map((source) => {
    const reader = history!.read(source, env, notes);
    return {
      id: source.sessionId,
      head: history!.summarize(source, env, notes),
      bill: history!.bill?.(source, env, notes),
      ...(reader && { tally: tallyOf(reader), messages: [...reader.messages()], subagents: reader.subagents?.() }),
    };
  });
}
