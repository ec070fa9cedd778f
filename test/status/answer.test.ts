/** Answering agents that wait: real runners, hook program and tmux; the agents are scripts. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { warmCli } from "../support/warm-cli.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";
import { recordedCalls } from "./support/recordings.ts";
import { screenFile } from "./support/screens.ts";
import { PATIENT, startTmux } from "./support/tmux.ts";

const script = join(import.meta.dirname, "../../dist/amux-hook.cjs");

interface Hook {
  process: ChildProcess;
  /** Its output, once it has ended. */
  printed: Promise<string>;
}

/** As an agent starts it: payload on standard input, then it waits for the end. */
function startHook(agent: string, payload: object, vars: Record<string, string>): Hook {
  const child = spawn(process.execPath, [script, agent], {
    env: { PATH: process.env["PATH"], ...PATIENT, ...vars },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  child.stdin.end(JSON.stringify(payload));
  const printed = once(child, "close").then(([code]) => {
    expect(code === 0 || code === null).toBe(true);
    return text;
  });
  return { process: child, printed };
}

const permission = recordedCalls("claude", "claude-interactive.jsonl").find(
  ({ payload }) => payload["hook_event_name"] === "PermissionRequest",
)!.payload;
const codexPermission = recordedCalls("codex", "codex.jsonl").find(
  ({ payload }) => payload["hook_event_name"] === "PermissionRequest",
)!.payload;

async function answer(home: TestHome, id: string, words: string): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await warmCli(["answer", id, words, "--json"], {
    home: home.home,
    vars: { AMUX_HOME: home.home },
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe("a waiting hook", () => {
  it.each([
    ["claude", permission],
    ["codex", codexPermission],
  ])("of %s gets the user's decision, in the agent's own format", async (agent, payload) => {
    const home = new TestHome();
    const id = await home.spawn("exec cat", { kind: agent });
    const vars = { AMUX_SOCKET: home.client.files(id).socket, HOME: home.home };
    const allowed = startHook(agent, payload, vars);
    await waitFor("the question", async () => (await home.meta(id)).state?.held === true);
    expect((await home.meta(id)).state).toMatchObject({ state: "permission", source: "hook" });
    expect(await answer(home, id, "allow")).toMatchObject({ via: "hook", confirmed: true, state: "working" });
    expect(JSON.parse(await allowed.printed)).toEqual({
      hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } },
    });
    const denied = startHook(agent, payload, vars);
    await waitFor("the question", async () => (await home.meta(id)).state?.held === true);
    expect(await answer(home, id, "use make")).toMatchObject({ via: "hook", confirmed: true });
    expect(JSON.parse(await denied.printed)).toMatchObject({
      hookSpecificOutput: { decision: { behavior: "deny", message: "use make" } },
    });
  });

  it("stays open, whatever the screen shows, and ends with its question", async () => {
    const home = new TestHome();
    const id = await home.spawn("printf '\\033]7501;state=working:app=x\\007'; exec cat");
    const hook = startHook("claude", permission, { AMUX_SOCKET: home.client.files(id).socket, HOME: home.home });
    await waitFor("the question", async () => (await home.meta(id)).state?.held === true);
    const body = JSON.stringify({ state: "working", source: "agent" });
    await home.ask(id, { method: "POST", path: "/hook", body });
    const evidence = (await home.ask(id, { path: "/evidence" })).body.toString();
    expect(JSON.parse(evidence)).toMatchObject({ asks: [{ held: true, state: "permission" }] });
    const done = { ...permission, hook_event_name: "PostToolUse" };
    await startHook("claude", done, { AMUX_SOCKET: home.client.files(id).socket, HOME: home.home }).printed;
    expect(await hook.printed).toBe("");
    expect((await home.meta(id)).state?.state).toBe("working");
  });

  it("stops waiting when its agent ends it, because the user was faster", async () => {
    const home = new TestHome();
    const id = await home.spawn("exec cat");
    const hook = startHook("claude", permission, { AMUX_SOCKET: home.client.files(id).socket, HOME: home.home });
    await waitFor("the question", async () => (await home.meta(id)).state?.held === true);
    hook.process.kill("SIGTERM");
    await waitFor("the hook to be let go", async () => (await home.meta(id)).state?.held === undefined);
    const refused = await home.ask(id, { method: "POST", path: "/answer", body: '{"answer":"allow"}' });
    expect([refused.status, refused.body.toString()]).toEqual([409, expect.stringContaining("cannot be read")]);
  });

  it("ends when the session's process is killed", async () => {
    const home = new TestHome();
    const id = await home.spawn("exec cat");
    const hook = startHook("claude", permission, { AMUX_SOCKET: home.client.files(id).socket, HOME: home.home });
    await waitFor("the question", async () => (await home.meta(id)).state?.held === true);
    process.kill((await home.meta(id)).runner_pid, "SIGKILL");
    expect(await hook.printed).toBe("");
  });

  it("of an agent that shows its dialog later is released when somebody attaches or types", async () => {
    const home = new TestHome();
    const id = await home.spawn("exec cat", { kind: "codex" });
    const vars = { AMUX_SOCKET: home.client.files(id).socket, HOME: home.home };
    const first = startHook("codex", codexPermission, vars);
    await waitFor("the question", async () => (await home.meta(id)).state?.held === true);
    await home.ask(id, { method: "POST", path: "/input", body: "x" });
    expect(await first.printed).toBe("");
    const connection = await home.client.connect(id);
    await waitFor("the viewer", () => connection.closed === false);
    expect((await home.meta(id)).state).toMatchObject({ state: "permission" });
  });
});

/** Asks for permission by its terminal, with a dialog that cannot be read. */
const UNREADABLE = `stty raw -echo; printf '\\033]7501;state=blocked:app=x:kind=permission\\007dialog'; dd bs=1 count=1 2>/dev/null; stty sane; echo key; exec cat`;

/** The same with a readable dialog. */
const DIALOG = `printf '\\033]7501;state=blocked:app=x:kind=permission\\007'; exec '${process.execPath}' '${join(import.meta.dirname, "support/choice.mjs")}' '${screenFile("gemini", "permission")}' 'Allow once' 'Allow for' 'No, suggest'`;

describe("without a hook", () => {
  it.each([
    ["allow", "Allow once"],
    ["deny", "No, suggest"],
    ["2", "Allow for"],
  ])("%s is chosen in the agent's own dialog, and seen to be accepted", async (word, taken) => {
    const home = new TestHome();
    const id = await home.spawn(DIALOG, { kind: "gemini" });
    // It is reported before it is drawn.
    await waitFor("its options", async () => (await home.meta(id)).state?.options?.length === 3);
    expect((await home.meta(id)).state).toMatchObject({ state: "permission" });
    expect(await answer(home, id, word)).toMatchObject({ via: "typed", confirmed: true });
    await home.waitForText(id, `took:${taken}:`);
  });

  it("nothing is typed where nothing is asked, or where a key's effect is unknown", async () => {
    const home = new TestHome();
    const options = { home: home.home, vars: { AMUX_HOME: home.home } };
    const id = await home.spawn(`printf '\\033]7501;state=idle:app=x\\007'; exec cat`);
    await waitFor("the state", async () => (await home.meta(id)).state?.state === "idle");
    const idle = await warmCli(["answer", id, "allow"], options);
    expect([idle.code, idle.stderr]).toEqual([1, expect.stringContaining("asks nothing; its state is idle")]);
    const unknown = await home.spawn(UNREADABLE);
    await waitFor("the dialog", async () => (await home.meta(unknown)).state?.state === "permission");
    const refused = await warmCli(["answer", unknown, "allow"], options);
    expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining("cannot be read")]);
    const words = await warmCli(["answer", unknown, "go on"], options);
    expect([words.code, words.stderr]).toEqual([6, expect.stringContaining("cannot be read")]);
    expect(await home.text(unknown)).not.toContain("key");
  });

  it("a question is answered with a text and Enter", async () => {
    const home = new TestHome();
    const id = await home.spawn(
      `printf '\\033]7501;state=blocked:app=x:kind=question\\007'; read x; printf '\\033]7501;state=working:app=x\\007got:%s:' "$x"; exec cat`,
    );
    await waitFor("the question", async () => (await home.meta(id)).state?.state === "waiting");
    expect(await answer(home, id, "the second one")).toMatchObject({ via: "typed", confirmed: true });
    await home.waitForText(id, "got:the second one:");
  });

  it("a question that a script set is over once it is answered, for everybody", async () => {
    const home = new TestHome();
    const options = { home: home.home, vars: { AMUX_HOME: home.home } };
    const id = await home.spawn(`read x; echo "got:$x:"; exec cat`);
    for (const words of ["y", "the second one"]) {
      await warmCli(["status", "set", id, "waiting", "--message", "Deploy?"], options);
      await waitFor("the question", async () => (await home.meta(id)).state?.message === "Deploy?");
      const receipt = await answer(home, id, words);
      expect(receipt).toMatchObject({ receipt: "delivered" });
      expect(receipt).not.toHaveProperty("state");
      const { stdout } = await warmCli(["attention", "--json"], options);
      expect(JSON.parse(stdout)).toEqual([]);
    }
    await home.waitForText(id, "got:y:");
    await home.waitForText(id, "the second one");
  });

  it("a tmux session is answered in the pane its hook came from", async () => {
    const home = new TestHome();
    const tmux = startTmux();
    const vars = tmux.newSession("s", home.home);
    tmux.run("split-window", "-t", "=s:", "sleep 1000");
    const choice = join(import.meta.dirname, "support/choice.mjs");
    const options = "'1. Yes' '2. Yes, and always' '3. Yes, and switch' '4. No'";
    const command = `'${process.execPath}' '${choice}' '${screenFile("claude", "permission")}' ${options}`;
    tmux.run("respawn-pane", "-k", "-t", vars["TMUX_PANE"]!, command);
    const shown = (): string => tmux.run("capture-pane", "-p", "-t", vars["TMUX_PANE"]!);
    await waitFor("the dialog", () => shown().includes("1. Yes"));
    await startHook("claude", permission, { ...vars, HOME: home.home }).printed;
    const { stdout, code } = await warmCli(["answer", "s", "deny", "--json"], {
      home: home.home,
      vars: { AMUX_HOME: home.home },
    });
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ via: "typed", option: "No" })]);
    await waitFor("what was taken", () => shown().includes("took:4. No:"));
  });

  it("a tmux session that has finished takes a message, and no answer", async () => {
    const home = new TestHome();
    const tmux = startTmux();
    const vars = tmux.newSession("s", home.home);
    const composer = join(import.meta.dirname, "support/composer.mjs");
    tmux.run("respawn-pane", "-k", "-t", vars["TMUX_PANE"]!, `'${process.execPath}' '${composer}' 120`);
    const shown = (): string => tmux.run("capture-pane", "-p", "-t", vars["TMUX_PANE"]!);
    await waitFor("the input line", () => shown().includes("for shortcuts"));
    await startHook("claude", { ...permission, hook_event_name: "Stop" }, { ...vars, HOME: home.home }).printed;
    const amux = (...args: string[]) => warmCli(args, { home: home.home, vars: { AMUX_HOME: home.home } });
    const answered = await amux("answer", "s", "and now the tests");
    expect([answered.code, answered.stderr]).toEqual([1, expect.stringContaining("Use amux send")]);
    const { stdout, code } = await amux("send", "s", "and now the tests", "--json");
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ receipt: "delivered" })]);
    await waitFor("what was taken", () => shown().includes("took:and now the tests:"));
  });
});
