/** The queue of prompts in the terminal interface. */
import { expect, test } from "vitest";
import { actOnQueue } from "../../src/client/queue-of-runner.ts";
import type { QueuedPrompt } from "../../src/protocol/queue.ts";
import { TestHome } from "../runner/support/sessions.ts";
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
  await tui.shows(/run the tests.*due /);
  expect(await queue()).toMatchObject([{ text: "run the tests", state: "queued" }]);
  tui.press("tab");
  await tui.shows(/run the tests.*paused/);
  tui.type("\r");
  tui.type(" twice\r");
  await tui.shows("run the tests twice");
  expect(await queue()).toMatchObject([{ text: "run the tests twice", paused: true }]);
  tui.press("esc");
  await tui.shows("1 queued");
  tui.press("u");
  await tui.shows("run the tests twice");
  tui.type("\x18");
  await tui.shows("no prompts wait");
  await waitFor("an empty queue", async () => (await queue()).length === 0);
});
