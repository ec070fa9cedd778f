/** The scripts run in the shells themselves. */
import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findOnPath } from "../../src/lib/process/find-on-path.ts";
import { runCli } from "../support/run-cli.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { needs } from "../support/needs.ts";

const AMUX = join(import.meta.dirname, "../../dist/amux.cjs");

const CLAUDE_ID = "0dacd292-ef68-4406-90b3-d6a25962fea8";
const CLAUDE_LINE = `${JSON.stringify({
  type: "user",
  uuid: "u1",
  sessionId: CLAUDE_ID,
  timestamp: "2026-11-01T10:00:00.000Z",
  message: { role: "user", content: "hello" },
})}\n`;

/** With a tmux session, a session of Claude Code, an ended session, a profile, and amux on the PATH. */
function prepared(): { home: TempHome; vars: Record<string, string> } {
  const home = tempHome();
  home.write(".claude-sessions/shop.json", '{"tmux_session":"shop","status":"idle","timestamp":1}');
  home.write(".claude-sessions/two words.json", '{"tmux_session":"two words","status":"idle","timestamp":1}');
  home.write(".claude-sessions/slug-1.json", '{"tmux_session":"slug-1","amux_session":"sess-1","timestamp":1}');
  home.write(`.claude/projects/-w/${CLAUDE_ID}.jsonl`, CLAUDE_LINE);
  home.write(".agent-mux/profiles/review.json", '{"agent":"codex"}');
  const ended = { id: "sess-0000abcd", created_at: "2026-01-02T03:04:05Z", command: ["make"], cwd: "/", kind: "make" };
  const state = { alive: false, exit_code: 0, title: "build", name: "build", status: null, reports: [] };
  home.write(".agent-mux/sessions/sess-0000abcd/meta.json", JSON.stringify({ ...ended, ...state }));
  chmodSync(home.write("bin/amux", `#!/bin/sh\nexec "${process.execPath}" "${AMUX}" "$@"\n`), 0o755);
  return { home, vars: { HOME: home.path, PATH: `${join(home.path, "bin")}:${process.env["PATH"] ?? ""}` } };
}

const CASES: [line: string, offered: string[], notOffered: string[]][] = [
  ["amux se", ["sessions", "send"], ["status"]],
  ["amux sessions ", ["list", "search", "fork"], ["claude"]],
  ["amux sessions list c", ["claude", "codex", "copilot", "cursor"], ["gemini"]],
  ["amux sessions list --sort ", ["date", "cost", "turns"], ["claude"]],
  ["amux daemon st", ["start", "status", "stop"], ["restart"]],
  ["amux hooks ", ["install", "uninstall", "status"], []],
  ["amux attach s", ["shop"], ["two", "slug-1"]],
  ["amux config set ", ["timeout", "defaultAgent", "worktrees"], ["agent"]],
  ["amux sessions show claude ", [CLAUDE_ID], ["claude", "codex"]],
  ["amux show ", ["claude"], [CLAUDE_ID]],
  ["amux attach b", [], ["build"]],
  ["amux tail b", ["build"], []],
  ["amux restart b", ["build"], []],
  ["amux tail s", ["shop"], []],
  ["amux search --so", ["--sort"], []],
  ["amux cost --gr", ["--group-by"], []],
  ["amux run --profile ", ["review"], []],
];

async function scriptOf(shell: string, home: TempHome): Promise<string> {
  const { code, stdout } = await runCli(["completion", shell], { home: home.path });
  expect(code).toBe(0);
  return home.write(`amux.${shell}`, stdout);
}

describe("completion", () => {
  it("works in bash", async () => {
    const { home, vars } = prepared();
    const script = await scriptOf("bash", home);
    const offers = (line: string): string[] => {
      const words = line.split(" ").map((word) => `'${word}'`);
      const code = `source ${script}; COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _amux; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return execFileSync("bash", ["--norc", "-c", code], { env: vars, encoding: "utf8" }).trim().split("\n");
    };
    for (const [line, offered, not] of CASES) {
      expect(offers(line), line).toEqual(expect.arrayContaining(offered));
      for (const word of not) expect(offers(line), line).not.toContain(word);
    }
    // The second argument, with and without an option with a value before it.
    expect(offers("amux status set shop ")).toContain("permission");
    expect(offers("amux status set --message hello shop p")).toEqual(["permission"]);
    expect(offers("amux answer shop ")).toEqual(expect.arrayContaining(["allow", "deny"]));
    expect(offers("amux sessions list claude c")).toEqual([""]);
  });

  it("works in zsh", needs(findOnPath("zsh", process.env) !== undefined, "zsh"), async () => {
    const { home, vars } = prepared();
    const script = await scriptOf("zsh", home);
    for (const [line, offered] of CASES) {
      const words = line.split(" ").map((word) => `'${word}'`);
      const code = [
        "autoload -U +X compinit && compinit -u -D",
        `source ${script}`,
        // As zsh's bashcompinit runs it, which drops words with another prefix.
        `t() { emulate -L sh; COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _amux; printf '%s\\n' "\${COMPREPLY[@]}" }`,
        "t",
      ].join("\n");
      const answer = execFileSync("zsh", ["-f", "-c", code], { env: vars, encoding: "utf8" });
      expect(answer.split("\n"), line).toEqual(expect.arrayContaining(offered));
    }
  });

  it("works in fish", needs(findOnPath("fish", process.env) !== undefined, "fish"), async () => {
    const { home, vars } = prepared();
    const script = await scriptOf("fish", home);
    for (const [line, offered, not] of CASES) {
      const code = `source ${script}; complete -C "${line}" | string replace -r '\\t.*' ''; true`;
      const words = execFileSync("fish", ["--no-config", "-c", code], { env: vars, encoding: "utf8" }).split("\n");
      expect(words, line).toEqual(expect.arrayContaining(offered));
      for (const word of not) expect(words, line).not.toContain(word);
    }
  });
});
