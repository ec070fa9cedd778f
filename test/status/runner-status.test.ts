/** How a runner combines all it learns about its session. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chmodSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SessionMeta, SessionVerdict } from "../../src/protocol/runner-api.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";

async function hook(home: TestHome, id: string, message: object): Promise<void> {
  const { status } = await home.ask(id, { method: "POST", path: "/hook", body: JSON.stringify(message) });
  expect(status).toBeLessThan(300);
}

async function state(home: TestHome, id: string): Promise<string | undefined> {
  return (await home.meta(id)).state?.state;
}

/** All states a listener received, in order; it is there when this resolves. */
async function listen(home: TestHome, id: string): Promise<SessionVerdict["state"][]> {
  const told: SessionVerdict["state"][] = [];
  let text = "";
  const stream = request({ socketPath: home.client.files(id).socket, path: "/events" }, (answer) => {
    answer.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
      const blocks = text.split("\n\n");
      text = blocks.pop()!;
      for (const block of blocks) {
        const data = /event: state\ndata: (.*)/.exec(block)?.[1];
        if (data !== undefined && data !== "null") told.push((JSON.parse(data) as SessionVerdict).state);
      }
    });
  });
  const isHeard = once(stream, "response");
  stream.on("error", () => undefined).end();
  home.beforeRemoval(() => stream.destroy());
  await isHeard;
  return told;
}

test("a turn cancelled without a hook ends by itself, and everybody is informed", async () => {
  const home = new TestHome();
  const id = await home.spawn(`read x; printf '\\033]7501;state=idle:app=x\\007'; exec cat`);
  const told = await listen(home, id);
  await hook(home, id, { agent: "claude", state: "working", begins: true, session: "s", message: "Do it" });
  await waitFor("the state", () => told.includes("working"));
  await home.ask(id, { method: "POST", path: "/input", body: "\r" });
  await waitFor("the end of the turn", () => told.includes("idle"));
  expect(told).toEqual(["working", "idle"]);
  expect(await home.meta(id)).toMatchObject({ status: null, unread: true, state: { state: "idle", source: "agent" } });
});

test("a question stays open until it is over, whatever other tools do", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  await hook(home, id, { state: "working", begins: true, session: "s" });
  await hook(home, id, { state: "permission", ask: "a", message: "Bash: make", session: "s" });
  await hook(home, id, { state: "working", ask: "b", session: "s" });
  expect(await home.meta(id)).toMatchObject({ state: { state: "permission", message: "Bash: make", ask: "a" } });
  await hook(home, id, { state: "working", ask: "a", session: "s" });
  expect(await state(home, id)).toBe("working");
});

test("a killed agent leaves its shell idle, or, in a session of its own, offline", async () => {
  const home = new TestHome();
  for (const [kind, after] of [
    ["shell", "idle"],
    ["codex", "offline"],
  ] as const) {
    const id = await home.spawn("exec cat", { kind });
    const agent = spawn("sleep", ["1000"], { stdio: "ignore" });
    await hook(home, id, { agent: "codex", state: "working", begins: true, session: "s", pid: agent.pid });
    expect(await state(home, id)).toBe("working");
    agent.kill("SIGKILL");
    await waitFor("the loss to be noticed", async () => (await state(home, id)) === after);
    await hook(home, id, { agent: "codex", state: "working", begins: true, session: "t" });
    expect(await state(home, id)).toBe("working");
  }
});

test("an agent that reports nothing in its terminal is followed by its transcript", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat", { kind: "claude" });
  const transcript = join(home.home, "t.jsonl");
  const record = (text: string): string =>
    `${JSON.stringify({ type: "user", timestamp: new Date().toISOString(), message: { role: "user", content: text } })}\n`;
  appendFileSync(transcript, record("Do it"));
  await hook(home, id, { agent: "claude", state: "working", begins: true, session: "s", transcript });
  await waitFor("the transcript to be read", async () =>
    (await home.meta(id)).reports.some(({ source }) => source === "transcript"),
  );
  appendFileSync(transcript, record("[Request interrupted by user]"));
  await waitFor("the end of the turn", async () => (await state(home, id)) === "idle");
});

test("an agent without hooks is followed by its title", async () => {
  const home = new TestHome();
  const title = (text: string): string => `printf '\\033]0;${text}\\007'; read x;`;
  const script = `${title("✦  Working… (shop)")} ${title("✋  Action Required (shop)")} ${title("◇  Ready (shop)")}`;
  const id = await home.spawn(script, { kind: "gemini" });
  const told = await listen(home, id);
  for (const wanted of ["working", "permission", "idle"]) {
    await waitFor(wanted, async () => (await state(home, id)) === wanted);
    if (wanted !== "idle") await home.ask(id, { method: "POST", path: "/input", body: "\r" });
  }
  await waitFor("the listener", () => told.at(-1) === "idle");
});

/** A shell at its prompt; typed commands run as jobs. */
async function shell(home: TestHome, program: string): Promise<{ id: string; type(text: string): Promise<unknown> }> {
  const path = join(home.home, program);
  // Named like an agent, in its own process group like every shell job.
  writeFileSync(
    path,
    `#!/bin/sh\nprintf '\\033]0;✳ Fix it\\007here\\n'\nread x\nprintf '\\033]0;⠂ Fix it\\007'\nread x\n`,
  );
  chmodSync(path, 0o755);
  const id = await home.spawn(`exec bash --norc --noprofile -i`, { env: { PS1: "$ ", PATH: process.env["PATH"]! } });
  await home.waitForText(id, "$");
  return { id, type: (text) => home.ask(id, { method: "POST", path: "/input", body: text }) };
}

test("an agent started in a shell is recognised, and its reports end with it", async () => {
  const home = new TestHome();
  const { id, type } = await shell(home, "claude");
  const meta = (): Promise<SessionMeta> => home.meta(id);
  await type(`${join(home.home, "claude")}\r`);
  await waitFor("the agent", async () => (await meta()).agent === "claude" && (await meta()).state?.state === "idle");
  await type("\r");
  await waitFor("its work", async () => (await meta()).state?.state === "working");
  // Its title shows the turn of this prompt. Without one, a question so soon after the title would be doubted.
  await hook(home, id, { agent: "claude", state: "working", message: "Fix it", session: "s", begins: true });
  await hook(home, id, { agent: "claude", state: "permission", ask: "a", message: "Bash: make", session: "s" });
  expect(await state(home, id)).toBe("permission");
  await type("\r");
  await waitFor("the shell", async () => (await meta()).agent === undefined);
  expect(await meta()).toMatchObject({ state: { state: "idle", source: "process" }, reports: [{ source: "process" }] });
});

test("an agent run by Node is recognised by its script, not as node", async () => {
  const home = new TestHome();
  const { id, type } = await shell(home, "nobody");
  const script = join(home.home, "codex");
  writeFileSync(script, "console.log('here'); setTimeout(() => undefined, 1e6);");
  await type(`${process.execPath} --no-warnings ${script} resume --last\r`);
  await waitFor("the agent", async () => (await home.meta(id)).agent === "codex");
});

test("a shell works while a command runs in it, but not while a full-screen program waits for its user", async () => {
  const home = new TestHome();
  const { id, type } = await shell(home, "nobody");
  await type("sleep 600\r");
  await waitFor("the work", async () => (await state(home, id)) === "working");
  await type("\u0003");
  await waitFor("its end", async () => (await state(home, id)) === "idle");
  await type("printf '\\033[?1049h'; sleep 600\r");
  await waitFor("nothing to be said", async () => (await state(home, id)) === undefined);
});
