/** Dialogs before the first prompt: real runners, and recorded screens in a program that takes keys. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { STATUS_HOOKS } from "../../src/agents/status-hooks.gen.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { tempHome } from "../support/temp-home.ts";
import { waitFor } from "../support/wait-for.ts";
import { warmCli } from "../support/warm-cli.ts";
import { screenFile } from "./support/screens.ts";

const PROGRAM = join(import.meta.dirname, "support/choice.mjs");

interface Dialog {
  agent: string;
  name: string;
  question: string;
  options: string[];
}

const TRUST: Dialog = {
  agent: "claude",
  name: "trust",
  question: "Quick safety check: Is this a project you created or one you trust?",
  options: ["No, exit!", "Yes, I trust this folder"],
};
const AUTO_MODE: Dialog = {
  agent: "claude",
  name: "auto-mode",
  question: "Make auto mode your default permission mode?",
  options: ["Yes, set auto mode", "No, keep manual mode"],
};
const COPILOT: Dialog = {
  agent: "copilot",
  name: "trust",
  question: "Do you trust the files in this folder?",
  options: ["1. Yes", "2. Yes, and remember", "3. No (Esc)"],
};
const CODEX: Dialog = {
  agent: "codex",
  name: "trust",
  question: "Trust this folder?",
  options: ["Trust and continue", "Quit!"],
};
const GEMINI: Dialog = {
  agent: "gemini",
  name: "trust",
  question: "Do you trust the files in this folder?",
  options: ["Trust folder", "Trust parent folder", "Don't trust"],
};
const KIMI: Dialog = {
  agent: "kimi",
  name: "trust",
  question: "Trust this folder?",
  options: ["❯ Trust this folder", "Don't trust!"],
};
const QWEN: Dialog = {
  agent: "qwen",
  name: "trust",
  question: "Do you trust this folder?",
  options: ["Trust folder", "Trust parent folder", "Don't trust"],
};
const PI = { agent: "pi", name: "trust", question: "Trust project folder?" };

const SIGN_INS = [
  { agent: "codex", name: "sign-in", question: "Choose how you want to use Codex" },
  { agent: "codex", name: "sign-in-browser", question: "Finish signing in via your browser" },
  { agent: "cline", name: "sign-in", question: "Connect a model provider to get started" },
  { agent: "cn", name: "sign-in", question: "To get started, enter your Anthropic API key" },
  { agent: "droid", name: "sign-in", question: "Please login with your Factory account" },
  { agent: "grok", name: "sign-in", question: "Login with Grok" },
  { agent: "gemini", name: "sign-in", question: "How would you like to authenticate for this project?" },
  { agent: "kimi", name: "sign-in", question: "Run /login or /provider to get started" },
  { agent: "qwen", name: "sign-in", question: "Connect a Provider" },
];

describe.each(SIGN_INS)("the sign-in screen of $agent ($name)", ({ agent, name, question }) => {
  const lines = readFileSync(screenFile(agent, name), "utf8").split("\n");

  it("is recognised, even in a narrow window, and not in a conversation about it", async () => {
    const signs = await STATUS_HOOKS[agent]!();
    expect(signs.signIn!(lines)).toBe(question);
    const narrow = lines.flatMap((line) => line.match(/.{1,60}(?:\s|$)/g) ?? [line]);
    expect(signs.signIn!(narrow)).toBe(question);
    expect(signs.signIn!(["● It said:", `  ${question}`, "", "❯ and then?"])).toBeUndefined();
  });
});

/** Two of them: the others differ only in what is recognised. Both at once, since most of it is waiting. */
it("a sign-in screen makes the session wait for its user, and cannot be answered remotely", async () => {
  const home = new TestHome();
  const check = async ({ agent, name, question }: (typeof SIGN_INS)[number]): Promise<void> => {
    const id = await home.spawn(`cat '${screenFile(agent, name)}'; read key; clear; read end`, { kind: agent });
    await waitFor(`the question of ${agent}`, async () => (await home.meta(id)).state?.message === question);
    expect((await home.meta(id)).state).toMatchObject({ state: "waiting", source: "agent" });
    for (const words of ["allow", "1", "sk-key"]) {
      const { code, stderr, stdout } = await answer(home, id, words);
      expect([code, stdout + stderr]).toEqual([expect.any(Number), expect.stringContaining("sign-in")]);
      expect(code).not.toBe(0);
    }
    expect((await home.meta(id)).state).toMatchObject({ state: "waiting" });
    await home.ask(id, { method: "POST", path: "/input", body: "\r" });
    await waitFor("the end of it", async () => (await home.meta(id)).state?.state !== "waiting");
  };
  await Promise.all(SIGN_INS.filter(({ agent }) => agent === "codex").map(check));
});

it("an agent that reports nothing is idle, works and is done by what its screen shows", async () => {
  const home = new TestHome();
  const [idle, working] = ["start", "working"].map((name) => `clear; cat '${screenFile("cn", name)}'; read key`);
  const id = await home.spawn(`${idle}; ${working}; ${idle}`, { kind: "cn" });
  for (const expected of ["idle", "working", "done"]) {
    await waitFor(expected, async () => (await home.meta(id)).state?.state === expected);
    if (expected !== "done") await home.ask(id, { method: "POST", path: "/input", body: "\r" });
  }
});

it("an agent works as long as its own file says so, also when its screen does not show it", async () => {
  const files = tempHome().path;
  mkdirSync(join(files, "s1"));
  const home = new TestHome({ CLINE_SESSION_DATA_DIR: files });
  const says = (status: string): string => `printf '{"status":"${status}","pid":%d}' $$ > '${files}/s1/s1.json'`;
  const [idle, asks, looksIdle] = ["start", "permission", "done"].map(
    (name) => `clear; cat '${screenFile("cline", name)}'; read key`,
  );
  const id = await home.spawn(`${idle}; ${asks}; ${says("running")}; ${looksIdle}; ${says("idle")}; read key`, {
    kind: "cline",
  });
  for (const expected of ["idle", "waiting", "working", "done"]) {
    await waitFor(expected, async () => (await home.meta(id)).state?.state === expected);
    if (expected !== "done") await home.ask(id, { method: "POST", path: "/input", body: "\r" });
  }
});

async function show(home: TestHome, { agent, name, options, question }: Dialog): Promise<string> {
  const command = [process.execPath, PROGRAM, screenFile(agent, name), ...options];
  const id = await home.client.spawn({ command, cwd: home.home, kind: agent });
  await waitFor("the question", async () => (await home.meta(id)).state?.message === question);
  expect((await home.meta(id)).state).toMatchObject({ state: "waiting", source: "agent" });
  return id;
}

const amux = (home: TestHome, ...args: string[]) => warmCli(args, { home: home.home, vars: { AMUX_HOME: home.home } });

const answer = (home: TestHome, id: string, words: string) => amux(home, "answer", id, words, "--json");

describe("a dialog before the first turn", () => {
  it("is on the attention list with its options, and is answered without attaching", async () => {
    const home = new TestHome();
    const id = await show(home, TRUST);
    const { stdout } = await amux(home, "attention", "--json");
    expect(JSON.parse(stdout)).toMatchObject([
      {
        reason: "question",
        text: TRUST.question,
        options: [
          { number: "1", label: "No, exit", marked: true },
          { number: "2", label: "Yes, I trust this folder" },
        ],
      },
    ]);
    expect((await amux(home, "attention")).stdout).toContain("1 No, exit · 2 Yes, I trust this folder");
    expect(JSON.parse((await answer(home, id, "allow")).stdout)).toMatchObject({
      via: "typed",
      receipt: "delivered",
      option: "Yes, I trust this folder",
    });
    await home.waitForText(id, "took:Yes, I trust this folder:");
    await waitFor("the end of the question", async () => (await home.meta(id)).state?.state !== "waiting");
  });

  it("that the agent itself reports as a permission does not count as idle either", async () => {
    const home = new TestHome();
    const told = "printf '\\033]7501;state=blocked:app=claude:kind=permission:msg=dHJ1c3QgdGhpcyBmb2xkZXI=\\007'";
    const program = `exec '${process.execPath}' '${PROGRAM}' '${screenFile("claude", "trust")}' 'No, exit!' 'Yes, I trust'`;
    const id = await home.spawn(`${told}; ${program}`, { kind: "claude" });
    await waitFor("the options", async () => (await home.meta(id)).state?.options?.length === 2);
    expect((await home.meta(id)).state).toMatchObject({ state: "permission", message: "trust this folder" });
    expect((await amux(home, "wait", id, "--for", "idle", "--timeout", "3s")).code).toBe(11);
    expect(JSON.parse((await answer(home, id, "allow")).stdout)).toMatchObject({ option: "Yes, I trust this folder" });
    await home.waitForText(id, "took:Yes, I trust:");
  });

  it("answered with its literal No does not get Yes, nor does a message", async () => {
    const home = new TestHome();
    const id = await show(home, AUTO_MODE);
    const sent = await amux(home, "send", id, "run the check");
    expect([sent.code, sent.stderr]).toEqual([
      2,
      expect.stringContaining("Make auto mode your default permission mode?"),
    ]);
    expect(sent.stderr).toContain("2 No, keep manual mode");
    expect((await amux(home, "wait", id, "--for", "idle", "--timeout", "3s")).code).toBe(11);
    expect(await home.text(id)).not.toContain("key:");
    expect(JSON.parse((await answer(home, id, "No, keep manual mode")).stdout)).toMatchObject({ confirmed: true });
    await home.waitForText(id, "took:No, keep manual mode:");
  });

  it("stays while hooks report that the agent has started behind it", async () => {
    const home = new TestHome();
    const id = await show(home, AUTO_MODE);
    const body = JSON.stringify({ agent: "claude", state: "idle", begins: true, session: "s1", source: "hook" });
    await home.ask(id, { method: "POST", path: "/hook", body });
    expect((await home.meta(id)).state).toMatchObject({ state: "waiting", message: AUTO_MODE.question });
  });

  it("that ends the program when denied has accepted the answer", async () => {
    const home = new TestHome();
    const id = await show(home, CODEX);
    expect(JSON.parse((await answer(home, id, "deny")).stdout)).toMatchObject({ confirmed: true, option: "Quit" });
    expect((await home.waitForEnd(id)).exit_code).toBe(1);
  });

  it.each([
    [KIMI, "allow", "❯ Trust this folder"],
    [QWEN, "deny", "Don't trust"],
  ])("of $agent is answered without attaching", async (dialog, words, took) => {
    const home = new TestHome();
    const id = await show(home, dialog);
    expect(JSON.parse((await answer(home, id, words)).stdout)).toMatchObject({ confirmed: true });
    await home.waitForText(id, `took:${took}:`);
  });

  it("gets no text that is not one of its options, since Enter would choose the marked one", async () => {
    const home = new TestHome();
    const id = await show(home, COPILOT);
    for (const words of ["let me think", "4", "remember everything"]) {
      const { code, stdout } = await answer(home, id, words);
      expect([words, code, stdout]).toEqual([words, 2, expect.stringContaining("2 Yes, and remember this folder")]);
    }
    expect(await home.text(id)).not.toMatch(/key:|took:/);
    expect(JSON.parse((await answer(home, id, "no")).stdout)).toMatchObject({ confirmed: true, option: "No (Esc)" });
    await home.waitForText(id, "took:3. No (Esc):");
  });

  it("is not answered with yes where two options match", async () => {
    const home = new TestHome();
    const id = await show(home, GEMINI);
    const { code, stdout } = await answer(home, id, "yes");
    expect([code, stdout]).toEqual([2, expect.stringContaining("Nothing was typed")]);
    expect(JSON.parse((await answer(home, id, "parent")).stdout)).toMatchObject({ confirmed: true });
    await home.waitForText(id, "took:Trust parent folder:");
  });

  it("is navigated by arrows in the program's cursor mode", async () => {
    const home = new TestHome({ APPLICATION: "1" });
    const command = [
      process.execPath,
      PROGRAM,
      screenFile(PI.agent, PI.name),
      "→ Trust",
      "Trust parent",
      "Trust (this",
    ];
    const id = await home.client.spawn({ command, cwd: home.home, kind: PI.agent });
    await waitFor("the question", async () => (await home.meta(id)).state?.message === PI.question);
    expect(JSON.parse((await answer(home, id, "3")).stdout)).toMatchObject({ confirmed: true });
    await home.waitForText(id, "took:Trust (this:");
  });

  it("is navigated by amux send --key in the program's cursor mode", async () => {
    const home = new TestHome({ APPLICATION: "1" });
    const id = await show(home, AUTO_MODE);
    expect((await amux(home, "send", id, "--key", "Down")).code).toBe(0);
    await waitFor("the mark", async () => (await home.meta(id)).state?.options?.[1]?.marked);
    expect((await amux(home, "send", id, "--key", "Enter")).code).toBe(0);
    await home.waitForText(id, "took:No, keep manual mode:");
  });

  it("is over as soon as a turn begins, and never reported again", async () => {
    const home = new TestHome();
    const id = await show(home, GEMINI);
    const body = JSON.stringify({ agent: "gemini", state: "working", source: "hook" });
    await home.ask(id, { method: "POST", path: "/hook", body });
    expect((await home.meta(id)).state).toMatchObject({ state: "working", source: "hook" });
    const refused = await home.ask(id, { method: "POST", path: "/answer", body: '{"answer":"allow"}' });
    expect(refused.status).toBe(409);
  });
});

const STARTS = ["cline", "cn", "codex", "copilot", "droid", "gemini", "grok", "kimi", "opencode", "pi", "qwen"];

it.each(STARTS)("the start of %s without a dialog is no sign-in screen", async (agent) => {
  const lines = readFileSync(screenFile(agent, "start"), "utf8").split("\n");
  expect((await STATUS_HOOKS[agent]!()).signIn?.(lines)).toBeUndefined();
});

it("a start without a dialog is not a question", async () => {
  const home = new TestHome();
  const id = await home.spawn(`cat '${screenFile("codex", "start")}'; read key`, { kind: "codex" });
  expect((await amux(home, "wait", id, "--for", "idle")).code).toBe(0);
  expect((await home.meta(id)).state?.state).not.toBe("waiting");
  expect(JSON.parse((await amux(home, "attention", "--json")).stdout)).toEqual([]);
});
