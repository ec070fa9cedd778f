/** The queue of prompts in the terminal interface. */
import { expect, test } from "vitest";
import { actOnQueue } from "../../src/client/queue-of-runner.ts";
import type { AllQueues, QueuedPrompt, ScheduledPrompt } from "../../src/protocol/queue.ts";
import { TestDaemon } from "../daemon/support/test-daemon.ts";
import { readQueue, writeQueue } from "../../src/status/queue/queue-file.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { tempHome } from "../support/temp-home.ts";
import { waitFor } from "../support/wait-for.ts";
import { Tui } from "./support/tui.ts";

test("a prompt is queued, edited, paused and removed, and the row says how many wait", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat", { name: "writer" });
  const queue = async (): Promise<QueuedPrompt[]> =>
    (await actOnQueue(home.client.files(id).socket, { kind: "list" })).items;
  const tui = new Tui(home.home, { cols: 120, rows: 30 });
  await tui.shows("writer");
  tui.press("u");
  await tui.shows("no prompts wait");
  tui.type("\x0e");
  tui.type("run the tests\r");
  await tui.shows("When (idle");
  tui.type("\x15");
  tui.type("in 2h\r");
  await tui.shows(/run the tests .*\d\d:\d\d/);
  expect(await queue()).toMatchObject([{ text: "run the tests", state: "queued" }]);
  tui.press("tab");
  await tui.shows(/run the tests.*paused/);
  const [before] = await queue();
  tui.type("\x12");
  await tui.shows("When ─");
  tui.type("\r");
  await tui.hides("When ─");
  tui.type("\r");
  tui.type(" twice\r");
  await tui.shows("run the tests twice");
  expect(await queue()).toMatchObject([{ text: "run the tests twice", paused: true }]);
  // Its time was not changed, so it is not counted anew.
  expect(await queue()).toMatchObject([{ due_at: before!.due_at, created_at: before!.created_at }]);
  tui.press("esc");
  // The row says it behind the queue, too. Escape and a letter close together would be alt and that letter.
  await tui.hides("Queue of writer");
  await tui.shows("1 queued");
  tui.press("u");
  await tui.shows("run the tests twice");
  tui.press("tab");
  await tui.hides("paused");
  // Another one pauses the whole queue, as the end of a session does.
  await actOnQueue(home.client.files(id).socket, { kind: "change", change: { paused: true } });
  await tui.shows("paused");
  tui.press("tab");
  await tui.hides("paused");
  expect((await actOnQueue(home.client.files(id).socket, { kind: "list" })).paused).toBe(false);
  tui.type("\x18");
  await tui.shows("no prompts wait");
  await waitFor("an empty queue", async () => (await queue()).length === 0);
});

test("a prompt of several lines is written and edited in the user's editor", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat", { name: "writer" });
  const queue = async (): Promise<string[]> =>
    (await actOnQueue(home.client.files(id).socket, { kind: "list" })).items.map(({ text }) => text);
  const { path, write } = tempHome();
  const editor = write("editor.sh", 'printf "and the linter\\n" >> "$2"; exit "$(cat "$1")"\n');
  const vars = { VISUAL: "", EDITOR: `sh '${editor}' '${write("code", "0")}'` };
  const tui = new Tui(home.home, { cols: 120, rows: 30 }, vars);
  await tui.shows("writer");
  tui.press("u");
  await tui.shows("no prompts wait");
  tui.type("\x0e");
  await tui.shows("ctrl+o editor");
  tui.type("run the tests\x0f");
  await tui.shows("When (idle");
  tui.type("\x15");
  tui.type("in 2h\r");
  await tui.shows(/run the tests and the linter .*\d\d:\d\d/);
  expect(await queue()).toEqual(["run the tests\nand the linter"]);
  tui.type("\r");
  await tui.shows("run the tests and the linter and the linter");
  expect(await queue()).toEqual(["run the tests\nand the linter\nand the linter"]);
  write("code", "3");
  tui.type("\r");
  await tui.shows(`The editor (sh '${path}`);
  expect(await queue()).toEqual(["run the tests\nand the linter\nand the linter"]);
});

test("prompts that start sessions are listed, edited, paused and removed", async () => {
  const daemon = new TestDaemon();
  await daemon.start();
  const cwd = daemon.home;
  await daemon.data("POST", "/v1/queues", { agent: "claude", cwd, text: "triage the issues", when: "daily 7:30" });
  const scheduled = async (): Promise<ScheduledPrompt[]> =>
    (await daemon.data<AllQueues>("GET", "/v1/queues")).scheduled;
  const tui = new Tui(daemon.home, { cols: 100, rows: 30 });
  await tui.shows(" amux ");
  tui.press("U");
  // Agent and directory come first: at this width, they were cut.
  await tui.shows(/claude in \S*: triage the issues.*daily 07:30, next /);
  tui.press("tab");
  await tui.shows(/triage the issues.*paused/);
  tui.type("\r");
  tui.type(" twice\r");
  await tui.shows("triage the issues twice");
  expect(await scheduled()).toMatchObject([{ text: "triage the issues twice", when: "daily 07:30", paused: true }]);
  tui.type("\x18");
  await tui.shows("none; amux queue --new");
  expect(await scheduled()).toEqual([]);
});

test("a held prompt needs the user, and keeps its ended session from being dismissed", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat", { name: "writer" });
  const files = home.client.files(id);
  await actOnQueue(files.socket, { kind: "add", request: { text: "ship it", when: "in 2h" } });
  await home.client.kill(id);
  await home.client.ended(id);
  const { items, ...rest } = readQueue(files.queue);
  const held = { state: "held", note: "It is unknown whether it arrived." } as const;
  writeQueue(files.queue, { ...rest, items: items.map((prompt) => ({ ...prompt, ...held })) });
  const tui = new Tui(home.home, { cols: 120, rows: 30 });
  await tui.shows("writer");
  tui.press("a");
  await tui.shows("“ship it” is held");
  tui.press("q");
  await tui.hides("is held");
  tui.press("d");
  await tui.shows("Its queue has 1 held.");
  expect(readQueue(files.queue).items).toHaveLength(1);
});
