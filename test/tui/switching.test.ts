/** Hundreds of switches between sessions leave no object, handle, memory or connection behind. */
import { readdirSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { Workbench } from "../../src/tui/workbench/workbench.ts";
import { Grid } from "../../src/tui/render/grid.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";
import { stageIn } from "./support/stage.ts";
import { isLong } from "../torture/long-form.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const AREA = { x: 0, y: 0, width: 120, height: 40 };
const WARM_UP = 100;
const SWITCHES = isLong ? 1000 : 300;
const PARTS = 4;

/** Grows with what is kept per switch; one-time allocations happen in the warm-up. */
const MAX_GROWTH_PER_SWITCH = 1024;

test(`${SWITCHES} switches leak nothing`, async () => {
  const home = new TestHome();
  const ids = [
    await home.spawn("seq 1 500; exec cat", { name: "a" }),
    await home.spawn("seq 1 500; exec cat", { name: "b" }),
  ];
  for (const id of ids) await home.waitForText(id, "500");
  const stage = stageIn(home);
  const grid = new Grid(AREA.width, AREA.height);
  let freed = 0;
  const registry = new FinalizationRegistry(() => freed++);
  const turn = async (at: number): Promise<void> => {
    const workbench = await Workbench.open(stage, ids[at % 2]!, AREA);
    registry.register(workbench, undefined);
    // On a busy machine the screen may come after the text that was waited for.
    await waitFor("the picture of the session", () => {
      grid.clear();
      workbench.draw(grid, AREA);
      return grid.text(AREA.height - 2).includes("500");
    });
    workbench.close();
  };
  const settle = async (): Promise<{ heap: number; handles: number }> => {
    // Closed handles are freed in later turns of the event loop.
    for (let round = 0; round < 5; round++) {
      await new Promise((resolve) => setImmediate(resolve));
      collect();
    }
    const handles = process.getActiveResourcesInfo().filter((kind) => kind !== "Immediate").length;
    return { heap: process.memoryUsage().heapUsed, handles };
  };
  const runners = await Promise.all(ids.map(async (id) => (await home.meta(id)).runner_pid));
  const open = (): number[] => runners.map((pid) => readdirSync(`/proc/${pid}/fd`).length);
  for (let at = 0; at < WARM_UP; at++) await turn(at);
  let before = await settle();
  await waitFor("the runners to notice", () => Math.max(...open()) < 60);
  const openBefore = open();
  // Code that is compiled late, on a busy machine, makes one part grow; code that is dropped makes one shrink. A leak is in all.
  const growth: number[] = [];
  for (let part = 0; part < PARTS; part++) {
    freed = 0;
    for (let at = 0; at < SWITCHES / PARTS; at++) await turn(at);
    const after = await waitFor("every workbench and its handles to be gone", async () => {
      const now = await settle();
      return freed >= SWITCHES / PARTS && now.handles <= before.handles ? now : undefined;
    });
    growth.push((after.heap - before.heap) / (SWITCHES / PARTS));
    before = after;
  }
  const [, second] = growth.toSorted((a, b) => a - b);
  expect(second, `bytes per switch: ${growth.map(Math.round).join(", ")}`).toBeLessThan(MAX_GROWTH_PER_SWITCH);
  await waitFor("the runners to let go", () => open().every((count, at) => count <= openBefore[at]!));
  expect(process.listenerCount("SIGWINCH") + process.listenerCount("exit")).toBeLessThan(10);
});
