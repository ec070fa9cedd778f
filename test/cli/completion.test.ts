/** The scripts run in the shells themselves. */
import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findOnPath } from "../../src/lib/process/find-on-path.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { needs } from "../support/needs.ts";
import { warmCli } from "../support/warm-cli.ts";

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

/** zsh runs the script for bash: one line of each kind is enough there. */
const OF_EACH_KIND = CASES.filter(([line]) =>
  ["amux se", "amux sessions list c", "amux attach s", "amux show ", "amux search --so"].includes(line),
);

async function scriptOf(shell: string, home: TempHome): Promise<string> {
  const { code, stdout } = await warmCli(["completion", shell], { home: home.path });
  expect(code).toBe(0);
  return home.write(`amux.${shell}`, stdout);
}

const BETWEEN = "--next--";

/** What a shell offers for each line; one shell completes them all, as for a user. */
function offers(shell: string, options: string[], code: string[], vars: Record<string, string>): string[][] {
  const printed = execFileSync(shell, [...options, "-c", code.join("\n")], { env: vars, encoding: "utf8" });
  return printed.split(`${BETWEEN}\n`).map((words) => words.trim().split("\n"));
}

const quoted = (line: string): string =>
  line
    .split(" ")
    .map((word) => `'${word}'`)
    .join(" ");

/** As bash calls it. */
const ASK = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _amux; printf '%s\\n' "\${COMPREPLY[@]}" ${BETWEEN}`;

describe("completion", () => {
  it("works in bash", async () => {
    const { home, vars } = prepared();
    // The second argument, with and without an option with a value before it.
    const second: [line: string, offered: unknown][] = [
      ["amux status set shop ", expect.arrayContaining(["permission"])],
      ["amux status set --message hello shop p", ["permission"]],
      ["amux answer shop ", expect.arrayContaining(["allow", "deny"])],
      ["amux sessions list claude c", [""]],
    ];
    const asked = [...CASES, ...second].map(([line]) => `ask ${quoted(line)}`);
    const answers = offers(
      "bash",
      ["--norc"],
      [`source ${await scriptOf("bash", home)}`, `ask() { ${ASK}; }`, ...asked],
      vars,
    );
    for (const [index, [line, offered, not]] of CASES.entries()) {
      expect(answers[index], line).toEqual(expect.arrayContaining(offered));
      for (const word of not) expect(answers[index], line).not.toContain(word);
    }
    for (const [index, [line, offered]] of second.entries())
      expect(answers[CASES.length + index], line).toEqual(offered);
  });

  it("works in zsh", needs(findOnPath("zsh", process.env) !== undefined, "zsh"), async () => {
    const { home, vars } = prepared();
    const code = [
      "autoload -U +X compinit && compinit -u -D",
      `source ${await scriptOf("zsh", home)}`,
      // As zsh's bashcompinit runs it, which drops words with another prefix.
      `ask() { emulate -L sh; ${ASK} }`,
      ...OF_EACH_KIND.map(([line]) => `ask ${quoted(line)}`),
    ];
    const answers = offers("zsh", ["-f"], code, vars);
    for (const [index, [line, offered]] of OF_EACH_KIND.entries())
      expect(answers[index], line).toEqual(expect.arrayContaining(offered));
  });

  it("works in fish", needs(findOnPath("fish", process.env) !== undefined, "fish"), async () => {
    const { home, vars } = prepared();
    const ask = ([line]: (typeof CASES)[number]): string =>
      `complete -C "${line}" | string replace -r '\\t.*' ''; echo ${BETWEEN}`;
    const answers = offers(
      "fish",
      ["--no-config"],
      [`source ${await scriptOf("fish", home)}`, ...CASES.map(ask)],
      vars,
    );
    for (const [index, [line, offered, not]] of CASES.entries()) {
      expect(answers[index], line).toEqual(expect.arrayContaining(offered));
      for (const word of not) expect(answers[index], line).not.toContain(word);
    }
  });
});
