/** Plug-ins as files: trusted once, by path and content, for the command, the daemon and the terminal interface. */
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TestDaemon } from "../daemon/support/test-daemon.ts";
import { runCli, type CliResult } from "../support/run-cli.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";

const EXAMPLE = join(import.meta.dirname, "../../examples/plugin-agent/notebot.mjs");
const turns = [{ ask: "What is a monad?", answer: "A burrito.", model: "claude-opus-5", tokens: [120, 15] }];

const CLAUDE_LINE = `${JSON.stringify({
  type: "user",
  uuid: "u1",
  sessionId: "0dacd292-ef68-4406-90b3-d6a25962fea8",
  timestamp: "2026-11-01T10:00:00.000Z",
  cwd: "/w",
  message: { role: "user", content: "count the routes" },
})}\n`;

function withNotebot(): { home: TempHome; plugin: string; amux: (...args: string[]) => Promise<CliResult> } {
  const home = tempHome();
  home.write(".notebot/sessions/n1.json", JSON.stringify({ id: "n1", dir: "/home/me/dev", turns }));
  const plugin = join(home.path, ".agent-mux/plugins/notebot.mjs");
  mkdirSync(join(home.path, ".agent-mux/plugins"), { recursive: true, mode: 0o700 });
  copyFileSync(EXAMPLE, plugin);
  return { home, plugin, amux: (...args) => runCli(args, { home: home.path }) };
}

describe("a plug-in file", () => {
  it("is loaded after it was trusted, and never before or after a change", async () => {
    const { amux, plugin } = withNotebot();
    const before = await amux("sessions", "list", "notebot");
    expect([before.code, before.stderr]).toEqual([3, expect.stringContaining('Unknown agent "notebot"')]);
    expect((await amux("agents", "codex")).stderr).toContain(
      `${plugin} is a plug-in that is not trusted. Read it, then: amux trust ${plugin}`,
    );
    const trusted = await amux("trust", plugin);
    expect(trusted.stdout).toBe(`Trusted: ${plugin} adds the agent notebot (Notebot).\n`);
    expect((await amux("trust", "list")).stdout).toContain("plugin  notebot.mjs");

    const list = JSON.parse((await amux("sessions", "list", "--json")).stdout) as object[];
    expect(list).toMatchObject([{ unifiedId: "notebot:n1", title: "What is a monad?", turnCount: 1 }]);
    expect((await amux("show", "n1")).stdout).toContain("A burrito.");
    expect((await amux("search", "burrito")).stdout).toContain("notebot");
    expect((await amux("sessions", "resume", "n1", "--dry-run")).stdout).toContain("notebot --continue n1");
    expect((await amux("cost", "--group-by", "agent")).stdout).toContain("notebot");
    expect((await amux("completion", "bash")).stdout).toContain("notebot");

    appendFileSync(plugin, "\n// changed\n");
    expect((await amux("sessions", "list", "notebot")).code).toBe(3);
    expect((await amux("doctor", "codex")).stderr).toContain(`${plugin} has changed since it was trusted.`);
    await amux("trust", plugin);
    expect((await amux("sessions", "list", "notebot")).code).toBe(0);
    expect((await amux("trust", "remove", plugin)).code).toBe(0);
    expect((await amux("sessions", "list", "notebot")).code).toBe(3);
  });

  it("elsewhere is loaded too; a broken one is named, and breaks nothing", async () => {
    const { amux, home, plugin } = withNotebot();
    const other = home.write("dev/memo.mjs", readFileSync(EXAMPLE, "utf8").replaceAll("notebot", "memo"));
    expect((await amux("trust", other)).stdout).toContain("adds the agent memo");
    expect((await amux("sessions", "list", "memo")).code).toBe(0);
    for (const [text, reason] of [
      ["export default {}", "makes no agent with a name"],
      ["import './other.mjs'", "cannot be used"],
      ["syntax error", "cannot be used"],
      ["throw new Error('at start')", "at start"],
      ["process.exit(0)", "it calls process.exit."],
      [readFileSync(EXAMPLE, "utf8").replace("sessionDir: directoryOf,", ""), "history.sessionDir is not a function"],
      [
        "export default { name: 'x', displayName: 'X', command: 'x', capabilities: {}, launch: { resume: [] } }",
        "launch.resume is not a function",
      ],
      [
        readFileSync(EXAMPLE, "utf8").replace('name: "notebot"', 'name: "claude"'),
        "claude is the name of a built-in agent",
      ],
    ] as const) {
      writeFileSync(plugin, text);
      const refused = await amux("trust", plugin);
      expect([refused.code === 0, refused.stderr]).toEqual([false, expect.stringContaining(reason)]);
    }
    home.write(".agent-mux/trust.json", "{");
    expect((await amux("sessions", "list", "--json")).code).toBe(0);
    expect((await amux("agents", "codex")).stderr).toContain("trust.json cannot be read");
  });

  it("that throws hides no other agent's sessions, and is named", async () => {
    const { amux, home, plugin } = withNotebot();
    home.write(".claude/projects/-w/0dacd292-ef68-4406-90b3-d6a25962fea8.jsonl", CLAUDE_LINE);
    const broken = "roots: fail, sessionDir: fail, listSessions: fail, belongings: fail, summarize";
    const text = readFileSync(EXAMPLE, "utf8").replace(/roots: [^]*?\n {6}summarize/, broken);
    writeFileSync(plugin, `${text}\nfunction fail() { throw new Error("boom"); }\n`);
    expect((await amux("trust", plugin)).code).toBe(0);
    const list = await amux("sessions", "list");
    expect([list.code, list.stdout]).toEqual([0, expect.stringContaining("count the routes")]);
    const found = await amux("search", "routes");
    expect([found.code, found.stdout]).toEqual([0, expect.stringContaining("count the routes")]);
    expect((await amux("vault", "enable")).code).toBe(0);
    expect((await amux("vault", "list")).stdout).toContain("0dacd292");
    expect((await amux("doctor", "notebot")).stdout).toContain(`The plug-in ${plugin} failed: boom`);
  });

  it("that never finishes loading is named, and can be removed", async () => {
    const { amux, home, plugin } = withNotebot();
    const waiting = `import { existsSync } from "node:fs";\nif (existsSync("${home.path}/hang")) await new Promise(() => {});\n`;
    writeFileSync(plugin, waiting + readFileSync(EXAMPLE, "utf8"));
    expect((await amux("trust", plugin)).code).toBe(0);
    home.write("hang", "");
    const agents = await amux("agents", "codex");
    expect(agents.stdout).toContain("codex");
    expect(agents.stderr).toContain(`${plugin} cannot be used: it did not finish loading`);
    expect((await amux("trust", "remove", plugin)).code).toBe(0);
    expect((await amux("agents", "codex")).stderr).toContain("is not trusted");
  });

  it("is known to the daemon, and so to the page", async () => {
    const daemon = new TestDaemon();
    mkdirSync(join(daemon.userHome, ".notebot/sessions"), { recursive: true });
    const notebook = JSON.stringify({ id: "n1", dir: "/home/me/dev", turns });
    writeFileSync(join(daemon.userHome, ".notebot/sessions/n1.json"), notebook);
    const trust = await runCli(["trust", EXAMPLE], { home: daemon.userHome, vars: daemon.vars });
    expect(trust.code).toBe(0);
    await daemon.start();
    const history = await daemon.ask<{ unifiedId: string }[]>("GET", "/v1/history");
    expect(history.data.map(({ unifiedId }) => unifiedId)).toEqual(["notebot:n1"]);
    const agents = await daemon.ask("GET", "/v1/capabilities");
    expect(agents.text).toContain("Notebot");
  });
});
