/** A reader that is asked only for the usage skips most lines, and bills the same. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import type { SessionReader } from "../agents/adapter.ts";
import { ReadNotes } from "../agents/read-notes.ts";
import { AgentRegistry } from "../agents/registry.ts";
import { MadeHome } from "./testing/made-home.ts";

const AGENTS = ["claude", "codex"];

const HOMES = AGENTS.flatMap((name) => {
  const fixtures = join(import.meta.dirname, "../agents", name, "fixtures");
  return readdirSync(fixtures)
    .map((fixture) => join(fixtures, fixture))
    .filter((home) => existsSync(join(home, `.${name}`)));
});

function billOf(reader: SessionReader | undefined): unknown {
  const { cwd, branch, createdMs, startedMs, usageUnknown } = reader?.head ?? {};
  const usage = [...(reader?.usage() ?? [])].map((request) => ({ cwd, branch, ...request, key: undefined }));
  return reader && { createdMs, startedMs, usageUnknown, usage, totals: reader.reportedTotals?.() };
}

function made(): string {
  const home = tempHome().path;
  const sessions = new MadeHome(home, 25);
  for (let change = 0; change < 40; change++) sessions.change();
  return home;
}

it.each([...HOMES, "made"])("%s", async (place) => {
  const env = { home: place === "made" ? made() : place, platform: "linux", vars: {} } as const;
  let sessions = 0;
  for (const name of AGENTS) {
    const history = (await new AgentRegistry().get(name)).history!;
    for (const source of history.listSessions(env, new ReadNotes())) {
      const read = (what: "all" | "usage"): unknown => {
        try {
          return billOf(history.read(source, env, new ReadNotes(), what));
        } catch (error) {
          return String(error);
        }
      };
      expect(read("usage"), source.path).toEqual(read("all"));
      sessions++;
    }
  }
  expect(sessions).toBeGreaterThan(0);
});
