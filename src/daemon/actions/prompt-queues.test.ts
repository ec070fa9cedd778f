import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { sessionFiles } from "../../protocol/session-files.ts";
import { newPrompt } from "../../status/queue/changes.ts";
import { writeQueue } from "../../status/queue/queue-file.ts";
import type { SessionStore } from "../store/store.ts";
import { PromptQueues } from "./prompt-queues.ts";

it("the queue of a session that ends at this moment is listed, and a change of it is refused", async () => {
  // Short, so that socket paths fit.
  const home = mkdtempSync("/tmp/amux-q-");
  const id = "sess-00000001";
  const files = sessionFiles({ home }, id);
  for (const path of [files.queue, files.socket]) mkdirSync(dirname(path), { recursive: true });
  writeQueue(files.queue, { items: [newPrompt({ text: "go on" }, Date.now())] });
  const ending = createServer((socket) => socket.once("data", () => socket.destroy())).listen(files.socket);
  await once(ending, "listening");
  onTestFinished(() => {
    ending.close();
    rmSync(home, { recursive: true, force: true });
  });
  const store = { record: () => ({ kind: "claude" }) } as unknown as SessionStore;
  const queues = new PromptQueues({ home }, store, () => undefined);
  expect(await queues.act(id, { kind: "list" })).toMatchObject({ items: [{ text: "go on" }] });
  await expect(queues.act(id, { kind: "add", request: { text: "more" } })).rejects.toThrow("cannot be reached");
});

it("a prompt that an ended session's runner still saved wakes the session", async () => {
  const home = mkdtempSync("/tmp/amux-q-");
  const id = "sess-00000001";
  const files = sessionFiles({ home }, id);
  for (const path of [files.queue, files.socket]) mkdirSync(dirname(path), { recursive: true });
  writeQueue(files.queue, { items: [newPrompt({ text: "go on" }, Date.now())] });
  const answer = { session: id, paused: false, items: [] };
  const lingering = createHttpServer((_, response) => response.end(JSON.stringify(answer))).listen(files.socket);
  await once(lingering, "listening");
  onTestFinished(() => {
    lingering.close();
    rmSync(home, { recursive: true, force: true });
  });
  const heard: unknown[] = [];
  let alive = true;
  const store = {
    record: () => ({ kind: "claude", alive }),
    upsert: (_: string, __: string, counts: object) => heard.push(counts),
  } as unknown as SessionStore;
  const queues = new PromptQueues({ home }, store, () => heard.push("waiting"));
  await queues.act(id, { kind: "add", request: { text: "go on" } });
  expect(heard).toEqual([]);
  alive = false;
  await queues.act(id, { kind: "add", request: { text: "go on" } });
  expect(heard).toEqual([{ queued: 1, queue_held: 0 }, "waiting"]);
});
