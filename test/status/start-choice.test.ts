/** What agents ask before they begin: real runners, screens of the real agents, shown by a program that takes keys as they do. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AgentRegistry } from "../../src/agents/registry.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";
import { runCli } from "../support/run-cli.ts";

const AGENTS = join(import.meta.dirname, "../../src/agents");
const PROGRAM = join(import.meta.dirname, "support/choice.mjs");

const screenOf = (agent: string, name: string): string => join(AGENTS, agent, "fixtures/screens", `${name}.txt`);

interface Choice {
  agent: string;
  name: string;
  question: string;
  options: string[];
  /** Where yes and no stand, seen from what is marked. */
  allow: number;
  deny: number;
}

const CHOICES: readonly Choice[] = [
  {
    agent: "claude",
    name: "trust",
    question: "Is this a project you created or one you trust?",
    options: ["No, exit!", "Yes, I trust this folder"],
    allow: 1,
    deny: 0,
  },
  {
    agent: "claude",
    name: "bypass",
    question: "Claude Code running in Bypass Permissions mode",
    options: ["No, exit!", "Yes, I accept"],
    allow: 1,
    deny: 0,
  },
  {
    agent: "codex",
    name: "trust",
    question: "Trust this folder?",
    options: ["Trust and continue", "Quit!"],
    allow: 0,
    deny: 1,
  },
  {
    agent: "gemini",
    name: "trust",
    question: "Do you trust the files in this folder?",
    options: ["Trust folder", "Trust parent folder", "Don't trust"],
    allow: 0,
    deny: 1,
  },
  {
    agent: "copilot",
    name: "trust",
    question: "Do you trust the files in this folder?",
    options: ["1. Yes", "2. Yes, and remember", "3. No"],
    allow: 0,
    deny: 1,
  },
  {
    agent: "pi",
    name: "trust",
    question: "Trust project folder?",
    options: ["→ Trust", "Trust parent folder", "Trust (this", "Do not trust", "Do not trust (this"],
    allow: 0,
    deny: 1,
  },
];

describe.each(CHOICES)("the choice of $agent ($name)", ({ agent, name, question, allow, deny }) => {
  const lines = readFileSync(screenOf(agent, name), "utf8").split("\n");

  it("is recognised, and where its answers stand", async () => {
    const { hooks } = await new AgentRegistry().get(agent);
    expect(hooks!.startDialog!(lines)).toEqual({ question, allow, deny });
  });

  it("is recognised in a narrow window, where the question takes several lines", async () => {
    const { hooks } = await new AgentRegistry().get(agent);
    const narrow = lines.flatMap((line) => line.match(/.{1,34}(?:\s|$)/g) ?? [line]);
    expect(hooks!.startDialog!(narrow)?.question).toBe(question);
  });

  it("is not seen in a conversation about it, nor when nothing is marked", async () => {
    const { hooks } = await new AgentRegistry().get(agent);
    expect(hooks!.startDialog!(["● It asked:", `  ${question}`, "", "❯ and what did you say?"])).toBeUndefined();
    expect(hooks!.startDialog!(lines.map((line) => line.replace(/[❯›●→]/u, " ")))).toBeUndefined();
    expect(hooks!.startDialog!([])).toBeUndefined();
  });
});

const SIGN_INS = [
  { agent: "codex", name: "sign-in", question: "Choose how you want to use Codex" },
  { agent: "codex", name: "sign-in-browser", question: "Finish signing in via your browser" },
  { agent: "gemini", name: "sign-in", question: "How would you like to authenticate for this project?" },
];

describe.each(SIGN_INS)("what $agent shows to be signed in ($name)", ({ agent, name, question }) => {
  const lines = readFileSync(screenOf(agent, name), "utf8").split("\n");

  it("is recognised, also in a narrow window, and not in a conversation about it", async () => {
    const { hooks } = await new AgentRegistry().get(agent);
    expect(hooks!.startDialog!(lines)).toEqual({ question, isSignIn: true });
    const narrow = lines.flatMap((line) => line.match(/.{1,60}(?:\s|$)/g) ?? [line]);
    expect(hooks!.startDialog!(narrow)).toEqual({ question, isSignIn: true });
    expect(hooks!.startDialog!(["● It said:", `  ${question}`, "", "❯ and then?"])).toBeUndefined();
  });

  it("makes the session wait for its user, and is not answered from elsewhere", async () => {
    const home = new TestHome();
    const id = await home.spawn(`cat '${screenOf(agent, name)}'; read key; clear; read end`, { kind: agent });
    await waitFor("the question", async () => (await home.meta(id)).state?.message === question);
    expect((await home.meta(id)).state).toMatchObject({ state: "waiting", source: "agent" });
    for (const words of ["allow", "1", "sk-key"]) {
      const { code, stderr, stdout } = await answer(home, id, words);
      expect([code, stdout + stderr]).toEqual([expect.any(Number), expect.stringContaining("to sign in")]);
      expect(code).not.toBe(0);
    }
    expect((await home.meta(id)).state).toMatchObject({ state: "waiting" });
    await home.ask(id, { method: "POST", path: "/input", body: "\r" });
    await waitFor("the end of it", async () => (await home.meta(id)).state?.state === "idle");
  });
});

async function show(home: TestHome, { agent, name, options, question }: Choice): Promise<string> {
  const command = [process.execPath, PROGRAM, screenOf(agent, name), ...options];
  const id = await home.client.spawn({ command, cwd: home.home, kind: agent });
  await waitFor("the question", async () => (await home.meta(id)).state?.message === question);
  expect((await home.meta(id)).state).toMatchObject({ state: "permission", source: "agent" });
  return id;
}

const answer = (home: TestHome, id: string, words: string) =>
  runCli(["answer", id, words, "--json"], { home: home.home, vars: { AMUX_HOME: home.home } });

const byName = (agent: string, name: string): Choice =>
  CHOICES.find((choice) => choice.agent === agent && choice.name === name)!;

describe("a session that shows one", () => {
  it("is among those that need their user, and is answered without anybody attaching", async () => {
    const home = new TestHome();
    const id = await show(home, byName("claude", "trust"));
    const { stdout } = await runCli(["attention", "--json"], { home: home.home, vars: { AMUX_HOME: home.home } });
    expect(JSON.parse(stdout)).toMatchObject([{ reason: "permission", text: byName("claude", "trust").question }]);
    expect(JSON.parse((await answer(home, id, "allow")).stdout)).toMatchObject({ via: "typed", confirmed: true });
    await home.waitForText(id, "took:Yes, I trust this folder:");
    await waitFor("the end of the question", async () => (await home.meta(id)).state?.state === "idle");
  });

  it("that ends when it is refused has taken the answer", async () => {
    const home = new TestHome();
    const id = await show(home, byName("codex", "trust"));
    expect(JSON.parse((await answer(home, id, "deny")).stdout)).toMatchObject({ confirmed: true, state: "stopped" });
    expect((await home.waitForEnd(id)).exit_code).toBe(1);
  });

  it("gets no words typed, which would end in an Enter on whatever is marked", async () => {
    const home = new TestHome();
    const id = await show(home, byName("copilot", "trust"));
    const { code, stdout } = await answer(home, id, "let me think");
    expect([code, stdout]).toEqual([2, expect.stringContaining("Answer allow or deny")]);
    expect(await home.text(id)).not.toContain("key:");
    expect(JSON.parse((await answer(home, id, "deny")).stdout)).toMatchObject({ confirmed: true });
    await home.waitForText(id, "took:3. No:");
  });

  it("is past it as soon as a hook speaks, and never asked again", async () => {
    const home = new TestHome();
    const id = await show(home, byName("gemini", "trust"));
    const body = JSON.stringify({ agent: "gemini", state: "working", source: "hook" });
    await home.ask(id, { method: "POST", path: "/hook", body });
    expect((await home.meta(id)).state).toMatchObject({ state: "working", source: "hook" });
    const refused = await home.ask(id, { method: "POST", path: "/answer", body: '{"behavior":"allow"}' });
    expect(refused.status).toBe(409);
  });
});
