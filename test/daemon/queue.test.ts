/** Queued prompts that need the daemon: for ended sessions, and for sessions that do not exist yet. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { AttentionItem } from "../../src/protocol/daemon-api.ts";
import { sessionFiles } from "../../src/protocol/session-files.ts";
import { readQueue, writeQueue } from "../../src/status/queue/queue-file.ts";
import type { AllQueues, PromptQueueAnswer, ScheduledPrompt } from "../../src/protocol/queue.ts";
import { completeLines } from "../support/complete-lines.ts";
import { warmCli } from "../support/warm-cli.ts";
import { waitFor } from "../support/wait-for.ts";
import { TestDaemon } from "./support/test-daemon.ts";

/** A machine on which the agent with turns is installed as `claude`. */
class QueueMachine extends TestDaemon {
  readonly cwd = join(this.userHome, "shop");

  constructor() {
    super();
    const bin = join(this.root, "bin");
    mkdirSync(bin);
    mkdirSync(this.cwd);
    copyFileSync(join(import.meta.dirname, "../status/support/turn-agent.mjs"), join(bin, "claude"));
    chmodSync(join(bin, "claude"), 0o755);
    this.vars["PATH"] = `${bin}:${this.vars["PATH"]}`;
  }

  async agent(): Promise<string> {
    const { session_id: id } = await this.data<{ session_id: string }>("POST", "/v1/launch", {
      agent: "claude",
      cwd: this.cwd,
    });
    await this.shows(id, "for shortcuts");
    return id;
  }

  async shows(id: string, text: string): Promise<void> {
    await waitFor(`"${text}"`, async () => (await this.ask("GET", `/v1/sessions/${id}/text`)).text.includes(text));
  }

  /** What all conversations were given, in order. */
  taken(): string[] {
    const projects = join(this.userHome, ".claude", "projects");
    if (!existsSync(projects)) return [];
    return readdirSync(projects, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl"))
      .flatMap((name) => completeLines(join(projects, name)))
      .map((line) => (JSON.parse(line) as { message: { content: string } }).message.content);
  }

  queue(id: string): Promise<PromptQueueAnswer> {
    return this.data("GET", `/v1/sessions/${id}/queue`);
  }

  /** What is typed before is too early for the agent. */
  async turnOver(id: string): Promise<void> {
    await waitFor("the end of its turn", async () => (await this.session(id))?.unread);
  }

  async delivered(id: string, text: string): Promise<void> {
    await waitFor(`the receipt of "${text}"`, async () => {
      const { items } = await this.queue(id);
      return items.some((item) => item.text === text && item.state === "delivered");
    });
  }

  amux(...args: string[]): ReturnType<typeof warmCli> {
    return warmCli(args, { home: this.userHome, cwd: this.cwd, vars: this.vars });
  }
}

it("an ended session is resumed for its queue, also after a kill -9 of everything", async () => {
  const machine = await new QueueMachine().start();
  const id = await machine.agent();
  await machine.data("POST", `/v1/sessions/${id}/queue`, { text: "first" });
  await machine.delivered(id, "first");
  await waitFor("its conversation", async () => (await machine.session(id))?.resume_key !== undefined);
  await machine.turnOver(id);
  await machine.data("POST", `/v1/sessions/${id}/message`, { text: "/exit" });
  await waitFor("its end", async () => (await machine.session(id))?.alive === false);
  await machine.data("POST", `/v1/sessions/${id}/queue`, { text: "second" });
  await machine.delivered(id, "second");
  expect((await machine.session(id))?.command).toEqual(expect.arrayContaining(["--resume"]));

  await machine.data("PUT", `/v1/sessions/${id}/queue`, { paused: true });
  await machine.data("POST", `/v1/sessions/${id}/queue`, { text: "third" });
  const { pid: program } = (await machine.session(id))!;
  const { runner_pid } = await machine.data<{ runner_pid: number }>("GET", `/v1/sessions/${id}/details`);
  await machine.kill("SIGKILL");
  // In this order: a program goes with its terminal, a runner stays for seconds after its program.
  for (const pid of [program!, runner_pid]) process.kill(pid, "SIGKILL");
  await waitFor("their end", () => !existsSync(`/proc/${runner_pid}`) && !existsSync(`/proc/${program!}`));
  const { code, stdout } = await machine.amux("queue", "list", id, "--json");
  const { sessions } = JSON.parse(stdout) as AllQueues;
  expect([code, sessions[0]?.items.at(-1)]).toEqual([0, expect.objectContaining({ text: "third", state: "queued" })]);
  await machine.start();
  expect((await machine.session(id))?.queued).toBe(1);
  await machine.data("PUT", `/v1/sessions/${id}/queue`, { paused: false });
  await machine.delivered(id, "third");
  expect(machine.taken()).toEqual(["first", "second", "third"]);
});

it("a session that the user has killed is not resumed for its queue", async () => {
  const machine = await new QueueMachine().start();
  const id = await machine.agent();
  const { items } = await machine.data<PromptQueueAnswer>("POST", `/v1/sessions/${id}/queue`, {
    text: "later",
    when: "in 2h",
  });
  await machine.data("POST", `/v1/sessions/${id}/kill`);
  await machine.data("PUT", `/v1/sessions/${id}/queue`, { item: items[0]!.id, when: "idle" });
  expect(await machine.queue(id)).toMatchObject({ paused: true, items: [{ state: "queued" }] });
  await machine.data("POST", `/v1/sessions/${id}/resume`);
  await machine.delivered(id, "later");
  expect(machine.taken()).toEqual(["later"]);
});

it("held prompts are in the attention list until the user decides, and are not dismissed unasked", async () => {
  const machine = await new QueueMachine().start();
  const id = await machine.agent();
  const queued = await machine.data<PromptQueueAnswer>("POST", `/v1/sessions/${id}/queue`, {
    text: "ship it",
    when: "in 2h",
  });
  const item = queued.items[0]!.id;
  await machine.data("POST", `/v1/sessions/${id}/kill`);
  await machine.kill("SIGTERM");
  const { queue: path } = sessionFiles({ home: machine.home }, id);
  const stored = readQueue(path);
  const held = { state: "held", note: "It is unknown whether it arrived." } as const;
  writeQueue(path, { ...stored, items: stored.items.map((prompt) => ({ ...prompt, ...held })) });
  const alone = await machine.amux("attention", "--json");
  const own = { reason: "queue", sessions: [id], text: expect.stringContaining(`amux queue resume ${item}`) as string };
  expect(JSON.parse(alone.stdout)).toMatchObject([{ ref: item, ...own }]);

  await machine.start();
  const attention = (): Promise<AttentionItem[]> => machine.data("GET", "/v1/attention");
  expect(await attention()).toMatchObject([{ session_id: item, ...own }]);
  const cwd = join(machine.cwd, "gone");
  mkdirSync(cwd);
  const gone = { agent: "claude", cwd, text: "triage", when: "in 2h" };
  const { id: scheduled } = await machine.data<ScheduledPrompt>("POST", "/v1/queues", gone);
  rmSync(cwd, { recursive: true });
  await machine.data("PUT", "/v1/queues", { item: scheduled, when: new Date().toISOString() });
  const other = await waitFor("the one that cannot be started", async () =>
    (await attention()).find(({ session_id }) => session_id === scheduled),
  );
  expect(other).toMatchObject({ title: "new claude session", text: expect.stringContaining("Not started:") as string });
  await machine.data("POST", `/v1/sessions/${scheduled}/snooze`, { seconds: 3600 });
  expect((await attention()).map(({ session_id }) => session_id)).toEqual([item]);

  const refused = await machine.amux("dismiss", id);
  expect([refused.code === 0, refused.stderr]).toEqual([false, expect.stringContaining("has 1 prompt")]);
  expect((await machine.amux("dismiss", "--ended")).stderr).toContain(`Kept ${id}`);
  expect((await machine.amux("queue", "resume", item)).code).toBe(0);
  await waitFor("nothing held", async () => (await attention()).length === 0);
  expect((await machine.amux("dismiss", id, "--force")).code).toBe(0);
});

it("a session is started for a scheduled prompt, once, and the command says when no daemon runs", async () => {
  const machine = new QueueMachine();
  const schedule = ["queue", "--new", "claude", "triage the issues", "--when"];
  const alone = await machine.amux(...schedule, "daily 7:30");
  expect([alone.code === 0, alone.stderr]).toEqual([false, expect.stringContaining("daemon is not running")]);
  await machine.start();
  const nowhere = await machine.amux(...schedule, "daily 7:30", "--cwd", "/nonexistent");
  expect([nowhere.code === 0, nowhere.stderr]).toEqual([false, expect.stringContaining("/nonexistent")]);
  const daily = await machine.amux(...schedule, "daily 7:30", "--json");
  expect(JSON.parse(daily.stdout)).toMatchObject({ state: "queued", when: "daily 07:30", cwd: machine.cwd });
  const now = await machine.amux(...schedule, new Date().toISOString(), "--json");
  const { id: item } = JSON.parse(now.stdout) as ScheduledPrompt;
  const { session = "" } = await waitFor("its session", async () => {
    const { scheduled } = await machine.data<AllQueues>("GET", "/v1/queues");
    return scheduled.find(({ id, state }) => id === item && state === "delivered");
  });
  await machine.delivered(session, "triage the issues");
  expect(machine.taken()).toEqual(["triage the issues"]);
  expect((await machine.session(session))?.cwd).toBe(machine.cwd);
  const { id: dailyItem } = JSON.parse(daily.stdout) as ScheduledPrompt;
  expect((await machine.amux("queue", "remove", dailyItem)).code).toBe(0);
  await machine.kill("SIGTERM");
  expect((await machine.amux("queue", "list")).stdout).toContain("triage the issues");
});

it("a repeating prompt can be edited, paused and removed after a session was started for it", async () => {
  const machine = await new QueueMachine().start();
  const schedule = ["queue", "--new", "claude", "triage", "--when", "daily 0:00", "--json"];
  const { id } = JSON.parse((await machine.amux(...schedule)).stdout) as ScheduledPrompt;
  await machine.kill("SIGTERM");
  const path = join(machine.home, "scheduled.json");
  const before = new Date(Date.now() - 3 * 86_400_000).toISOString();
  writeFileSync(path, readFileSync(path, "utf8").replace(/"created_at": "[^"]+"/, `"created_at": "${before}"`));
  await machine.start();
  const scheduled = async (): Promise<ScheduledPrompt[]> =>
    (await machine.data<AllQueues>("GET", "/v1/queues")).scheduled;
  const { session = "" } = await waitFor("its session", async () =>
    (await scheduled()).find(({ delivered_at }) => delivered_at !== undefined),
  );
  await machine.delivered(session, "triage");
  expect((await machine.amux("queue", "edit", id, "triage again")).code).toBe(0);
  expect((await machine.amux("queue", "pause", id)).code).toBe(0);
  expect(await scheduled()).toMatchObject([{ id, text: "triage again", paused: true }]);
  expect((await machine.amux("queue", "remove", id)).code).toBe(0);
  expect(await scheduled()).toEqual([]);
});

it("a damaged file of one queue, or of the schedule, stops nothing else", async () => {
  const machine = await new QueueMachine().start();
  const id = await machine.agent();
  await machine.data("POST", `/v1/sessions/${id}/queue`, { text: "first" });
  await machine.delivered(id, "first");
  await waitFor("its conversation", async () => (await machine.session(id))?.resume_key !== undefined);
  const other = await machine.agent();
  await machine.data("POST", `/v1/sessions/${other}/kill`);
  writeFileSync(sessionFiles({ home: machine.home }, other).queue, "{");
  writeFileSync(join(machine.home, "scheduled.json"), '{"items":[');
  await machine.data("PUT", `/v1/sessions/${id}/queue`, { paused: true });
  const { items } = await machine.data<PromptQueueAnswer>("POST", `/v1/sessions/${id}/queue`, { text: "second" });
  const list = await machine.amux("queue", "list", "--json");
  expect(JSON.parse(list.stdout)).toMatchObject({
    sessions: [{ session: id }],
    scheduled: [],
    problems: [expect.stringContaining(other), expect.stringContaining("scheduled.json")],
  });
  expect(list.stderr).toContain("Repair or remove it.");
  expect((await machine.amux("queue", "edit", items.at(-1)!.id, "third")).code).toBe(0);
  await machine.turnOver(id);
  await machine.data("POST", `/v1/sessions/${id}/message`, { text: "/exit" });
  await waitFor("its end", async () => (await machine.session(id))?.alive === false);
  await machine.data("PUT", `/v1/sessions/${id}/queue`, { paused: false });
  await machine.delivered(id, "third");
  expect(machine.taken()).toEqual(["first", "third"]);
});
