/** Queued prompts with real runners; the agents are small programs. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PromptQueueAnswer, QueuedPrompt } from "../../src/protocol/queue.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";

const AGENT = join(import.meta.dirname, "support/turn-agent.mjs");

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
    taken: () => (existsSync(transcript) ? readFileSync(transcript, "utf8").trim().split("\n") : []).map(contentOf),
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
    await queue("POST", { text: "one" });
    await queue("POST", { text: "two\nlines" });
    expect((await home.meta(id)).queued).toBe(2);
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
});
