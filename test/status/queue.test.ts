/** Queued prompts with real runners; the agents are small programs. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PromptQueueAnswer, QueuedPrompt } from "../../src/protocol/queue.ts";
import { readQueue } from "../../src/status/queue/queue-file.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { completeLines } from "../support/complete-lines.ts";
import { warmCli } from "../support/warm-cli.ts";
import { waitFor } from "../support/wait-for.ts";

const AGENT = join(import.meta.dirname, "support/turn-agent.mjs");

const COMPOSER = join(import.meta.dirname, "support/composer.mjs");

const amux = (home: TestHome, ...args: string[]) => warmCli(args, { home: home.home, vars: { AMUX_HOME: home.home } });

interface Agent {
  home: TestHome;
  id: string;
  /** What it was given, in order. */
  taken(): string[];
  queue(method?: "GET" | "POST" | "PUT", body?: object): Promise<PromptQueueAnswer>;
  item(text: string): Promise<QueuedPrompt | undefined>;
}

async function agent(home: TestHome, turnMs = 100): Promise<Agent> {
  const transcript = join(home.home, "transcript.jsonl");
  const command = [process.execPath, AGENT, transcript, String(turnMs)];
  const id = await home.client.spawn({ command, cwd: home.home, kind: "codex" });
  await home.waitForText(id, "for shortcuts");
  await home.ask(id, { method: "PUT", path: "/conversation", body: JSON.stringify({ title: "", transcript }) });
  const queue: Agent["queue"] = async (method = "GET", body) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await home.ask(id, { method, path: "/queue", ...sent });
    expect([answer.status, answer.body.toString()]).toEqual([200, expect.any(String)]);
    return JSON.parse(answer.body.toString()) as PromptQueueAnswer;
  };
  return {
    home,
    id,
    taken: () => completeLines(transcript).map(contentOf),
    queue,
    item: async (text) => (await queue()).items.find((item) => item.text === text),
  };
}

function contentOf(line: string): string {
  return (JSON.parse(line) as { message: { content: string } }).message.content;
}

describe("queued prompts", () => {
  it("arrive one after the other, once each, with a receipt from the transcript", async () => {
    const { home, id, queue, taken, item } = await agent(new TestHome(), 400);
    // Until both are counted: the first one could be there before the second is added.
    await queue("PUT", { paused: true });
    await queue("POST", { text: "one" });
    await queue("POST", { text: "two\nlines" });
    expect((await home.meta(id)).queued).toBe(2);
    await queue("PUT", { paused: false });
    await waitFor("both", () => taken().length === 2);
    await waitFor("the receipts", async () => (await item("two\nlines"))?.state === "delivered");
    expect(taken()).toEqual(["one", "two\nlines"]);
    expect((await queue()).items).toMatchObject([
      { text: "one", state: "delivered", receipt: "transcript" },
      { text: "two\nlines", state: "delivered", receipt: "transcript" },
    ]);
    await waitFor("the count", async () => (await home.meta(id)).queued === 0);
    expect(await home.text(id)).not.toContain("too early");
  });

  it("wait while the session asks something", async () => {
    const { home, id, queue, taken, item } = await agent(new TestHome());
    // The agent says in its terminal that it is idle, and asks itself: a hook's question so soon after that would be doubted.
    const say = (state: string): Promise<unknown> => {
      const report = { agent: "codex", state, message: "Bash: rm -rf build", source: "agent", ask: "a1" };
      return home.ask(id, { method: "POST", path: "/hook", body: JSON.stringify(report) });
    };
    await say("permission");
    await queue("POST", { text: "go on" });
    await waitFor("the reason", async () => (await item("go on"))?.note?.includes("asks something"));
    expect(taken()).toEqual([]);
    await say("idle");
    await waitFor("it", () => taken().length === 1);
  });

  it("wait while somebody's draft is in the input line, and are not typed behind it", async () => {
    const { home, id, queue, taken, item } = await agent(new TestHome());
    await home.ask(id, { method: "POST", path: "/input", body: "half a sen" });
    await queue("POST", { text: "go on" });
    await waitFor("the reason", async () => (await item("go on"))?.note?.includes("draft"));
    // An Enter that arrives with text is a part of it.
    await home.waitForText(id, "half a sen");
    await home.ask(id, { method: "POST", path: "/input", body: "\r" });
    await waitFor("both", () => taken().length === 2);
    expect(taken()).toEqual(["half a sen", "go on"]);
  });

  it("are not typed behind a draft that was begun in a turn which asked for permission", async () => {
    const { home, id, queue, taken, item } = await agent(new TestHome());
    // Not by a hook: so soon after the agent said in its terminal that it is idle, work and question would be doubted.
    const say = (state: string): Promise<unknown> => {
      const report = { agent: "codex", state, message: "Bash: make", source: "agent", ask: "a1" };
      return home.ask(id, { method: "POST", path: "/hook", body: JSON.stringify(report) });
    };
    const type = (body: string): Promise<unknown> => home.ask(id, { method: "POST", path: "/input", body });
    await say("working");
    await type("half a sen");
    await say("permission");
    await say("working");
    await say("idle");
    await queue("POST", { text: "go on" });
    await waitFor("the reason", async () => (await item("go on"))?.note?.includes("draft"));
    await type("tence");
    // An Enter that arrives with text is a part of it.
    await home.waitForText(id, "half a sentence");
    await type("\r");
    await waitFor("both", () => taken().length === 2);
    expect(taken()).toEqual(["half a sentence", "go on"]);
  });

  it("do not wait for a key that answered a question before there was a queue", async () => {
    const { home, id, queue, taken } = await agent(new TestHome());
    const say = (state: string): Promise<unknown> => {
      const report = { agent: "codex", state, message: "Bash: make", source: "agent", ask: "a1" };
      return home.ask(id, { method: "POST", path: "/hook", body: JSON.stringify(report) });
    };
    await say("permission");
    await home.ask(id, { method: "POST", path: "/input", body: "1" });
    await say("working");
    await say("idle");
    await queue("POST", { text: "go on" });
    await waitFor("it", () => taken().length === 1);
  });

  it("wait for a shell's input line, and answer no program that asks", async () => {
    const home = new TestHome();
    const asking = await home.spawn("printf 'Delete everything? '; read a; echo got $a; read b");
    const shell = await home.client.spawn({ command: ["bash", "--norc", "-i"], cwd: home.home, kind: "shell" });
    const post = (id: string, text: string): Promise<unknown> =>
      home.ask(id, { method: "POST", path: "/queue", body: JSON.stringify({ text }) });
    await home.waitForText(asking, "Delete");
    await post(asking, "go on");
    await post(shell, 'echo run "the" tests');
    await home.waitForText(shell, "run the tests");
    await waitFor("the reason", async () =>
      (await amux(home, "queue", "list", asking)).stdout.includes("no input line"),
    );
    expect(await home.text(asking)).not.toContain("got");
  });

  it("that stay in the input line are held, and only sent again when the user says so", async () => {
    const home = new TestHome();
    const command = [process.execPath, COMPOSER, "60000"];
    const id = await home.client.spawn({ command, cwd: home.home, kind: "codex" });
    await home.waitForText(id, "for shortcuts");
    const first = await amux(home, "queue", id, "go on", "--json");
    const { id: prompt } = JSON.parse(first.stdout) as QueuedPrompt;
    const listed = await waitFor("the answer", async () => {
      const { stdout } = await amux(home, "queue", "list", id);
      return stdout.includes("held") ? stdout : undefined;
    });
    expect(listed).toMatch(/q-\w{6} .*held.*unknown whether/);
    // A list reads the session's file, which is up to a second old.
    await waitFor("the count", async () => (await amux(home, "ls")).stdout.includes("1 held"));
    expect((await home.text(id)).match(/go on/g)).toHaveLength(1);
    const again = await amux(home, "queue", "resume", prompt, "--json");
    expect(JSON.parse(again.stdout)).toMatchObject({ id: prompt, state: "queued" });
    // The first one is still in the input line.
    await waitFor("the reason", async () => (await amux(home, "queue", "list", id)).stdout.includes("unsent draft"));
    expect((await home.text(id)).match(/go on/g)).toHaveLength(1);
  });

  it("for a reset are sent after the time that the agent named in its refusal", async () => {
    const { home, id, queue, taken } = await agent(new TestHome());
    const passed = Math.floor(Date.now() / 1000) - 12;
    const report = { agent: "codex", state: "error", message: `Usage limit reached|${passed}`, source: "hook" };
    await home.ask(id, { method: "POST", path: "/hook", body: JSON.stringify(report) });
    await queue("POST", { text: "now" });
    await queue("POST", { text: "go on", when: "reset" });
    await waitFor("it", () => taken().length > 0);
    expect(taken()[0]).toBe("go on");
  });
});

describe("amux queue", () => {
  it("edits, pauses, continues and removes", async () => {
    const { home, id, taken, item } = await agent(new TestHome());
    await amux(home, "queue", "pause", id);
    const ids: string[] = [];
    for (const text of ["one", "two"]) {
      const { stdout } = await amux(home, "queue", id, text, "--json");
      ids.push((JSON.parse(stdout) as QueuedPrompt).id);
    }
    const [one = "", two = ""] = ids;
    expect((await amux(home, "queue", "edit", one, "uno")).code).toBe(0);
    expect((await amux(home, "queue", "edit", one, "--when", "whenever")).stderr).toContain("weekdays 9:00");
    expect((await amux(home, "queue", "remove", two)).code).toBe(0);
    expect((await amux(home, "queue", "list", id)).stdout).toMatch(/paused +when idle +uno/);
    expect(taken()).toEqual([]);
    expect((await amux(home, "queue", "resume", id)).code).toBe(0);
    await waitFor("the receipt", async () => (await item("uno"))?.state === "delivered");
    expect(taken()).toEqual(["uno"]);
    expect((await amux(home, "queue", "edit", one, "eins")).stderr).toContain("was delivered already");
  });

  it("refuses a prompt that is empty, too long, or cannot be saved, and says why", async () => {
    const { home, id, queue } = await agent(new TestHome());
    const said = async (...args: string[]): Promise<string> => (await amux(home, "queue", id, ...args)).stderr;
    expect(await said("  ")).toContain("The prompt is empty.");
    expect(await said("x".repeat(100_001))).toContain("at most 100,000 characters");
    const { items } = await queue("POST", { text: "later", when: "in 2h" });
    execFileSync("prlimit", ["--pid", String((await home.meta(id)).runner_pid), "--fsize=10"]);
    expect(await said("more")).toMatch(/The disk is full|It cannot be saved/);
    expect((await queue()).items).toEqual(items);
  });

  it("says only of a prompt that is due why it waits", async () => {
    const { queue, item } = await agent(new TestHome(), 60_000);
    await queue("POST", { text: "work" });
    await queue("POST", { text: "now" });
    await queue("POST", { text: "later", when: "in 2h" });
    await queue("POST", { text: "after the reset", when: "reset" });
    await waitFor("its note", async () => (await item("now"))?.note === "The session is working.");
    expect((await item("later"))?.note).toBeUndefined();
    expect((await item("after the reset"))?.note).toContain("is not known yet");
  });

  it("keeps a prompt for an ended session, and says that no daemon runs", async () => {
    const { home, id } = await agent(new TestHome());
    await amux(home, "kill", id);
    await home.waitForEnd(id);
    const { code, stderr } = await amux(home, "queue", id, "go on");
    expect([code, stderr]).toEqual([0, expect.stringContaining("No daemon runs")]);
    const rows = JSON.parse((await amux(home, "ls", "--json")).stdout) as { id: string; queued?: number }[];
    expect(rows.find((row) => row.id === id)?.queued).toBe(1);
  });
});

describe("a session that is ended by force", () => {
  const queued = async ({ home, id, queue }: Agent): Promise<{ runner: number; path: string }> => {
    await queue("POST", { text: "later", when: "in 2h" });
    return { runner: (await home.meta(id)).runner_pid, path: home.client.files(id).queue };
  };

  it("with a signal notes that for its queue, until the machine boots", async () => {
    const started = await agent(new TestHome());
    const { runner, path } = await queued(started);
    process.kill(runner, "SIGTERM");
    await started.home.waitForEnd(started.id);
    expect(readQueue(path)).toMatchObject({ paused: "killed", signal_at: expect.any(String) as string });
  });

  it("by amux kill, while its socket cannot be reached, has a paused queue", async () => {
    const started = await agent(new TestHome());
    const { path } = await queued(started);
    const { socket } = started.home.client.files(started.id);
    // A directory in its place, so that the socket cannot come back. The runner may be quicker once.
    await waitFor("a directory in the socket's place", () => {
      rmSync(socket, { force: true });
      try {
        mkdirSync(socket);
        return true;
      } catch {
        return false;
      }
    });
    expect((await amux(started.home, "kill", started.id)).code).toBe(0);
    expect(readQueue(path)).toMatchObject({ paused: "killed", items: [{ text: "later", state: "queued" }] });
    expect(readQueue(path).signal_at).toBeUndefined();
  });
});
