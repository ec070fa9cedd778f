/** Agents that are not built in: a plug-in at run time, a folder at build time. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as amux from "../../src/index.ts";
import { tempHome } from "../support/temp-home.ts";

const ROOT = join(import.meta.dirname, "../..");
const EXAMPLE = join(ROOT, "examples/plugin-agent/notebot.mjs");

const { default: pluginOf } = (await import(EXAMPLE)) as { default: (tools: typeof amux) => amux.AgentAdapter };
const notebot = pluginOf(amux);

const notebook = {
  id: "n1",
  dir: "/home/me/dev",
  turns: [
    { ask: "What is a monad?", answer: "A burrito.", model: "claude-opus-5", tokens: [120, 15] },
    { ask: "Really?", answer: "No.", model: "claude-opus-5", tokens: [150, 4] },
  ],
};

function clientWithNotebot() {
  const home = tempHome();
  home.write(".notebot/sessions/n1.json", JSON.stringify(notebook));
  home.write(".notebot/sessions/broken.json", "{");
  const client = amux.createClient({ env: { home: home.path, vars: {}, platform: "linux" } });
  client.adapters.register(notebot);
  return client;
}

describe("the example plug-in", () => {
  it("is listed, read, priced, searched and exported like any agent", async () => {
    const { sessions } = clientWithNotebot();
    const [row, ...others] = await sessions.list("notebot");
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      unifiedId: "notebot:n1",
      title: "What is a monad?",
      turnCount: 2,
      messageCount: 4,
      cwd: "/home/me/dev",
    });
    expect(row!.cost).toMatchObject({ inputTokens: 270, outputTokens: 19, kind: "computed" });
    expect((await sessions.get("notebot", "n1")).messages.map((message) => message.content)).toEqual([
      "What is a monad?",
      "A burrito.",
      "Really?",
      "No.",
    ]);
    expect((await sessions.search({ text: "burrito" })).map((hit) => hit.unifiedId)).toEqual(["notebot:n1"]);
    expect(await sessions.export("notebot", "n1", "markdown")).toContain("A burrito.");
    expect((await sessions.totalCost({ agent: "notebot" })).requestCount).toBe(2);
    expect(sessions.resolveNativeId("notebot:n1")).toEqual({ agent: "notebot", nativeSessionId: "n1" });
  });

  it("loses only what it cannot read, and says so", async () => {
    const { sessions } = clientWithNotebot();
    await expect(sessions.get("notebot", "broken")).rejects.toMatchObject({ code: "PARSE_ERROR" });
    const [catalog] = await sessions.catalogs("notebot");
    await catalog!.entries();
    expect(catalog!.notes.skipped).toHaveLength(1);
  });

  it("is unknown before it is registered and after it is removed", async () => {
    const client = clientWithNotebot();
    expect(client.adapters.unregister("notebot")).toBe(true);
    expect(client.sessions.resolveNativeId("notebot:n1")).toBeNull();
    await expect(client.sessions.list("notebot")).rejects.toMatchObject({ code: "AGENT_NOT_FOUND" });
    expect(await client.sessions.search({ text: "burrito", agent: "notebot" })).toEqual([]);
  });

  it("must have a name that is valid in an id", () => {
    const client = clientWithNotebot();
    expect(() => client.adapters.register({ ...notebot, name: "Note:Bot" })).toThrow(
      expect.objectContaining({ code: "PLUGIN_ERROR" }),
    );
  });
});

describe("an eleventh agent", () => {
  it("needs only one new folder", async () => {
    const tree = tempHome();
    for (const name of ["src", "scripts", "package.json", "tsconfig.json"]) {
      cpSync(join(ROOT, name), join(tree.path, name), {
        recursive: true,
        filter: (path) => !path.endsWith("fixtures"),
      });
    }
    symlinkSync(join(ROOT, "node_modules"), join(tree.path, "node_modules"));
    const folder = join(tree.path, "src/agents/notebot");
    mkdirSync(folder);
    const source = readFileSync(EXAMPLE, "utf8");
    // Inside the tree an adapter imports the contract, and its folder's default export is the agent.
    const inTree = source.replace(
      /export default \(.+\) =>\n/,
      [
        'import { AgentMuxError } from "../../core/errors.ts";',
        'import { defineAgent } from "../adapter.ts";',
        'import { readerOf } from "../in-memory.ts";',
        "export default ",
      ].join("\n"),
    );
    expect(inTree).not.toBe(source);
    writeFileSync(join(folder, "index.ts"), `// @ts-nocheck\n${inTree}`);

    const build = `await import("./scripts/gen-agents.mjs");
      const { buildCommand } = await import("./scripts/build-command.mjs");
      await buildCommand("dist");`;
    execFileSync(process.execPath, ["--input-type=module", "-e", build], { cwd: tree.path, stdio: "pipe" });
    const home = tempHome();
    home.write(".notebot/sessions/n1.json", JSON.stringify(notebook));
    const run = (...args: string[]): string =>
      execFileSync(process.execPath, [join(tree.path, "dist/amux.cjs"), ...args], {
        env: { HOME: home.path, PATH: process.env["PATH"] },
        encoding: "utf8",
      });
    expect(JSON.parse(run("sessions", "list", "--json"))).toMatchObject([{ unifiedId: "notebot:n1", turnCount: 2 }]);
    expect(run("completion", "bash")).toContain("notebot");
    expect(JSON.parse(run("doctor", "notebot", "--json"))).toMatchObject([
      { agent: "notebot", sessions: 1, parsed: 1 },
    ]);
  });
});
