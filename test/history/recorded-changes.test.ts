/** Sessions that real agents recorded, in a repository as it was then. */
import { cpSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createClient } from "../../src/index.ts";
import { gitRepository, type GitRepository } from "../support/git-repository.ts";

const AGENTS = join(import.meta.dirname, "../../src/agents");
const RECORDED = { cwd: "/home/user/dev/shop-api", commit: "8088c1c75ca3aa68e5ced5e7e06f74f370bc01de" };
const CLAUDE = "dfb61421-d08a-4f49-8f45-e72d5dab1652";
const CODEX = "01a1dce4-dbfe-71e1-ac96-916fbd76d1fe";

/** The repository before the sessions, and their records as if made there. */
function shop(...agents: ("claude" | "codex")[]): GitRepository & { first: string } {
  const made = gitRepository("shop-api");
  const start = Date.parse("2026-11-15T01:00:00Z");
  const first = made.commit("initial import", { "src/routes.js": "export const routes = {\n};\n" }, start);
  for (const agent of agents) {
    const folder = agent === "claude" ? ".claude/projects" : ".codex/sessions";
    const place = join(made.home, folder);
    cpSync(join(AGENTS, agent, "fixtures/home", folder), place, { recursive: true });
    for (const name of readdirSync(place, { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".jsonl")) continue;
      const text = readFileSync(join(place, name), "utf8");
      writeFileSync(join(place, name), text.replaceAll(RECORDED.cwd, made.path).replaceAll(RECORDED.commit, first));
    }
  }
  return { ...made, first };
}

it("name the calls of Claude Code that made each hunk, and nothing for a hand's", async () => {
  const { env, first, path, write } = shop("claude");
  write("src/routes.js", "export const routes = {\n  'GET /health': () => ({ ok: true }),\n};\n");
  write("docs/health.md", '# Health\n\n`GET /health` answers `{"ok":true}`.\n');
  write("by-hand.txt", "nobody's session wrote this line\n");
  const { changes } = createClient({ env });
  const { base, files, root } = await changes("claude", CLAUDE);
  expect(root).toBe(path);
  expect(base).toMatchObject({ commit: first, chosen: "recorded" });
  const origins = files.map(({ path: name, hunks = [] }) => [name, hunks[0]?.origin.sessionId]);
  expect(origins).toEqual([
    ["by-hand.txt", undefined],
    ["docs/health.md", CLAUDE],
    ["src/routes.js", CLAUDE],
  ]);
  const call = files[2]!.hunks![0]!.origin;
  expect(call).toMatchObject({ tier: "proved", agent: "claude", toolCallId: "toolu_01w7uRkpGHTrsUHQMmVp737g" });
  const own = await changes("claude", CLAUDE, { mine: true, hunks: false });
  expect(own.files.map(({ path: name }) => name)).toEqual(["docs/health.md", "src/routes.js"]);
});

it("prove nothing where two agents wrote the same line", async () => {
  const { env, write } = shop("claude", "codex");
  const routes = write("src/routes.js", "export const routes = {\n  'GET /health': () => ({ ok: true }),\n};\n");
  // Both sessions were recorded on this day; what was written days later is near neither of them.
  const day = new Date("2026-11-15T12:00:00Z");
  utimesSync(routes, day, day);
  const { files } = await createClient({ env }).changes("claude", CLAUDE);
  expect(files[0]!.hunks![0]!.origin.tier).toBe("near");
});

it("begin at the commit that Codex recorded, whatever was committed around it", async () => {
  const { commit, env, first } = shop("codex");
  commit("somebody else", { "other.txt": "other\n" }, Date.parse("2026-11-15T01:30:00Z"));
  const { base, files } = await createClient({ env }).changes("codex", CODEX);
  expect(base).toMatchObject({ commit: first, chosen: "recorded" });
  expect(base.sentence).toContain("which the session recorded at its start");
  expect(files.map(({ path }) => path)).toEqual(["other.txt"]);
});
