/** The states that the daemon knows: real daemon, runners and hook program; the agents are scripts. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AttentionItem, SessionDetails } from "../../src/protocol/daemon-api.ts";
import { gitOf, tokensOf } from "../../src/status/status-file.ts";
import { StatusStore } from "../../src/status/status-store.ts";
import { AgentMachine, rowWith } from "../daemon/support/agent-machine.ts";
import { sharedMachine } from "../daemon/support/shared-daemon.ts";
import { waitFor } from "../support/wait-for.ts";
import { recordedCalls } from "./support/recordings.ts";
import { screenFile } from "./support/screens.ts";
import { PATIENT, startTmux } from "./support/tmux.ts";

const script = join(import.meta.dirname, "../../dist/amux-hook.cjs");
const calls = recordedCalls("claude", "claude-interactive.jsonl").map(({ payload }) => payload);
const call = (event: string): object => calls.find((payload) => payload["hook_event_name"] === event)!;

/** Started like the agent's hook; resolves to its output. */
function hook(test: AgentMachine, id: string, payload: object): Promise<string> {
  return hookIn(test, { AMUX_SOCKET: test.shim.files(id).socket, AMUX_SESSION_ID: id }, payload);
}

function hookIn(test: AgentMachine, vars: Record<string, string>, payload: object): Promise<string> {
  const child = spawn(process.execPath, [script, "claude"], {
    env: { PATH: process.env["PATH"], HOME: test.userHome, ...PATIENT, ...vars },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  child.stdin.end(JSON.stringify(payload));
  return once(child, "close").then(() => text);
}

const CHOICE = join(import.meta.dirname, "support/choice.mjs");

/** An agent that shows this dialog before its first turn. */
async function dialog(test: AgentMachine, name: string, ...options: string[]): Promise<string> {
  const command = [process.execPath, CHOICE, screenFile("claude", name), ...options];
  const id = await test.shim.spawn({ command, cwd: test.userHome, kind: "claude" });
  await waitFor("the question", async () => (await waitingFor(test, id))?.options);
  return id;
}

async function waitingFor(test: AgentMachine, id: string): Promise<AttentionItem | undefined> {
  return (await test.data<AttentionItem[]>("GET", "/v1/attention")).find(({ session_id }) => session_id === id);
}

let key = "";
const shared = sharedMachine((atEnd) => {
  const test = new AgentMachine({}, atEnd);
  const cwd = test.project("shop");
  for (const path of [cwd, test.project("slow")]) execFileSync("git", ["init", "-q", "-b", "trunk", path]);
  // One of its commands takes longer than the daemon waits for all of them.
  const slowGit = `#!/bin/sh\ncase $2 in */slow) sleep 1.2 ;; esac\nPATH='${process.env["PATH"]}' exec git "$@"\n`;
  writeFileSync(join(test.root, "bin", "git"), slowGit, { mode: 0o755 });
  key = test.old(1, "Add a health route", cwd);
  return test;
});

describe("a dialog before the first turn", () => {
  it("does not count as idle in the daemon, and refuses an answer for another question", async () => {
    const test = shared();
    const id = await dialog(test, "auto-mode", "Yes, set auto mode", "No, keep manual mode");
    const waited = await test.ask("POST", `/v1/sessions/${id}/wait?for=idle&timeout=3`);
    expect([waited.status, waited.text]).toEqual([408, expect.stringContaining("not idle yet")]);

    const item = await waitingFor(test, id);
    const path = `/v1/sessions/${id}/answer`;
    const refused = await test.ask("POST", path, { answer: "1", asked: "another" });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("Make auto mode your default")]);
    expect((await test.ask("GET", `/v1/sessions/${id}/text`)).text).not.toContain("took:");
    const answered = await test.data("POST", path, { answer: "2", asked: item?.asked });
    expect(answered).toMatchObject({ receipt: "delivered", option: "No, keep manual mode" });
  });
});

describe("the status file of a tmux session", () => {
  it("has git facts and tokens after each turn, without a request", async () => {
    const test = shared();
    const cwd = test.project("shop");
    const vars = startTmux().newSession("shop", cwd);
    const statuses = new StatusStore(join(test.userHome, ".claude-sessions"));
    await hookIn(test, vars, { ...call("UserPromptSubmit"), session_id: key, cwd });
    await waitFor("the facts at its start", () => gitOf(statuses.read("shop") ?? {})?.dirty === false);
    // What git said at the start is still fresh at the end of a short turn, and wrong.
    writeFileSync(join(cwd, "README.md"), "a shop\n");
    await hookIn(test, vars, { ...call("Stop"), session_id: key, cwd });
    const file = await waitFor("the facts", () => {
      const written = statuses.read("shop");
      // The two come from different processes.
      return gitOf(written ?? {})?.dirty === true && tokensOf(written ?? {}) !== undefined ? written : undefined;
    });
    expect(file).toMatchObject({
      tmux_session: "shop",
      status: "done",
      git: { branch: "trunk", dirty: true },
      tokens: { input: 100, output: 50, total: 150 },
    });
  });

  it("has git facts also if git is slow", async () => {
    const test = shared();
    const vars = startTmux().newSession("slow", test.project("slow"));
    await hookIn(test, vars, { ...call("Stop"), cwd: test.project("slow") });
    const statuses = new StatusStore(join(test.userHome, ".claude-sessions"));
    await waitFor("the facts", () => gitOf(statuses.read("slow") ?? {})?.branch === "trunk");
  });
});

describe("the details of a session", () => {
  it("have tokens and cost of its conversation", async () => {
    const test = shared();
    const { id } = await rowWith(test, key);
    // Details do not wait for a slow count: it is in the next ones.
    const { tokens, cost } = await waitFor("the count", async () => {
      const details = await test.data<SessionDetails>("GET", `/v1/sessions/${id}/details`);
      return details.cost === undefined ? undefined : details;
    });
    expect(tokens).toEqual({ input: 100, output: 50, total: 150 });
    // 100 tokens at $3 and 50 at $15 per million; the reply has no end mark, so there may be more.
    expect(cost).toMatchObject({ inputTokens: 100, outputTokens: 50, totalUsd: 0.00105, kind: "lower-bound" });
  });

  it("have the time it worked and the tools it used; a question is answered through the waiting hook", async () => {
    const test = shared();
    const id = await test.launch("exec cat");
    await hook(test, id, call("UserPromptSubmit"));
    await hook(test, id, call("PostToolUse"));
    // The runner writes its file later if the daemon is writing into it.
    const metrics = await waitFor("the tool", async () => {
      const details = await test.data<SessionDetails>("GET", `/v1/sessions/${id}/details`);
      return details.metrics?.recent_tools.length === 0 ? undefined : details.metrics;
    });
    expect(metrics).toMatchObject({ tools: { Write: 1 }, recent_tools: ["Write"] });

    const asked = hook(test, id, call("PermissionRequest"));
    const waiting = await waitFor("the question", () => waitingFor(test, id));
    expect(waiting).toMatchObject({ reason: "permission", source: "hook" });
    const receipt = await test.data("POST", `/v1/sessions/${id}/answer`, { answer: "deny" });
    expect(receipt).toMatchObject({ via: "hook", confirmed: true });
    expect(JSON.parse(await asked)).toMatchObject({ hookSpecificOutput: { decision: { behavior: "deny" } } });
    await waitFor("nobody to wait", async () => (await waitingFor(test, id)) === undefined);
  });
});

describe("the status file of an amux session", () => {
  it("does not say forever that a killed session works", async () => {
    const test = shared();
    const id = await test.launch("exec cat");
    await hook(test, id, call("UserPromptSubmit"));
    const statuses = new StatusStore(join(test.userHome, ".claude-sessions"));
    const statusOf = () => statuses.list().find(({ file }) => file["amux_session"] === id)?.file.status;
    await waitFor("the file", () => statusOf() === "working");
    const { runner_pid } = await test.data<SessionDetails>("GET", `/v1/sessions/${id}/details`);
    process.kill(runner_pid!, "SIGKILL");
    await waitFor("the end in the file", () => statusOf() === "offline");
  });
});

describe("the attention list", () => {
  it("has tmux sessions, by their hooks' reports", async () => {
    const test = new AgentMachine();
    const vars = startTmux().newSession("shop", test.userHome);
    await hookIn(test, vars, call("UserPromptSubmit"));
    await hookIn(test, vars, call("PermissionRequest"));
    await test.start();
    const [item] = await test.data<AttentionItem[]>("GET", "/v1/attention");
    expect(item).toMatchObject({
      session_id: "shop",
      title: "shop",
      place: "tmux",
      agent: "claude",
      reason: "permission",
      source: "hook",
    });
  });
});
