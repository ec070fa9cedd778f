/** Sessions whose first screen is slow to arrive: the pane is never empty without a message. */
import { createServer, connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Workbench } from "../../src/tui/workbench/workbench.ts";
import { MAIN_PTY, paneId } from "../../src/tui/layout/pane-id.ts";
import { allPanes, withPane } from "../../src/tui/layout/workspace.ts";
import { WORKBENCH_ACTIONS } from "../../src/tui/workbench/workbench-actions.ts";
import { Grid } from "../../src/tui/render/grid.ts";
import type { Stage } from "../../src/tui/view.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";
import { wake } from "../support/continue-process.ts";
import { stageIn } from "./support/stage.ts";
import { Tui } from "./support/tui.ts";

const AREA = { x: 0, y: 0, width: 120, height: 40 };
const WAITING = "Waiting for the first screen";

/** A proxy before a session's socket: delays its output on connections after the first `open` ones. */
class SlowWay {
  readonly socket: string;
  private held: (() => void)[] = [];
  private isHolding = true;

  constructor(home: TestHome, id: string, open: number) {
    this.socket = join(home.home, `slow-${id.slice(0, 8)}`);
    const sockets: Socket[] = [];
    const server = createServer((near) => {
      const far = connect(home.client.files(id).socket);
      sockets.push(near, far);
      for (const socket of [near, far]) socket.on("error", () => undefined);
      near.on("data", (data) => far.write(data)).on("close", () => far.destroy());
      far.on("close", () => near.destroy());
      const flow = (): void => void far.on("data", (data) => near.write(data));
      if (open-- > 0 || !this.isHolding) flow();
      else this.held.push(flow);
    }).listen(this.socket);
    onTestFinished(() => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
  }

  release(): void {
    this.isHolding = false;
    for (const flow of this.held.splice(0)) flow();
  }
}

/** A stage that reaches this session through the proxy. */
function slowed(home: TestHome, id: string, way: SlowWay): Stage {
  const stage = stageIn(home);
  const { client } = home;
  const files = (asked: string): object => ({
    ...client.files(asked),
    ...(asked === id ? { socket: way.socket } : {}),
  });
  return { ...stage, services: { ...stage.services, client: Object.assign(Object.create(client), { files }) } };
}

function drawn(workbench: Workbench): string {
  const grid = new Grid(AREA.width, AREA.height);
  workbench.draw(grid, AREA);
  return Array.from({ length: AREA.height }, (_, y) => grid.text(y)).join("\n");
}

test("a pane whose first screen is late shows a message until it is drawn", async () => {
  const home = new TestHome();
  const id = await home.spawn("seq 1 500; exec cat");
  await home.waitForText(id, "500");
  const way = new SlowWay(home, id, 1);
  const workbench = await Workbench.open(slowed(home, id, way), id, AREA);
  onTestFinished(() => workbench.close());
  expect(drawn(workbench)).toContain(WAITING);
  way.release();
  await waitFor("the picture", () => drawn(workbench).includes("500"));
  expect(drawn(workbench)).not.toContain(WAITING);
});

test("a slow neighbour does not keep the other pane from being drawn and typed into", async () => {
  const home = new TestHome();
  const slow = await home.spawn("echo slow one; exec cat");
  const quick = await home.spawn("echo quick one; exec cat");
  await home.waitForText(slow, "slow one");
  const way = new SlowWay(home, slow, 0);
  const workbench = await Workbench.open(slowed(home, slow, way), quick, AREA);
  onTestFinished(() => workbench.close());
  const own = paneId({ sessionId: quick, ptyId: MAIN_PTY });
  workbench.change(withPane(workbench.workspace, paneId({ sessionId: slow, ptyId: MAIN_PTY })));
  workbench.change({ ...workbench.workspace, focus: own });
  await waitFor("the words in one pane, the picture in the other", () => {
    const text = drawn(workbench);
    return text.includes(WAITING) && text.includes("quick one");
  });
  workbench.type("typed beside\n");
  await waitFor("what was typed", () => drawn(workbench).includes("typed beside"));
  way.release();
  await waitFor("both pictures", () => drawn(workbench).includes("slow one") && !drawn(workbench).includes(WAITING));
});

test("a terminal opens in the workspace from which it was asked for, also if another one is shown by then", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const stage: Stage = { ...stageIn(home), attempt: (work) => void work };
  const workbench = await Workbench.open(stage, id, AREA);
  onTestFinished(() => workbench.close());
  for (const action of ["new-pane", "split-below", "workspace-2"]) WORKBENCH_ACTIONS[action]!.run(workbench, stage);
  const counts = (): number[] => workbench.layout.workspaces.slice(0, 2).map((workspace) => allPanes(workspace).length);
  await waitFor("both", () => counts().reduce((sum, count) => sum + count) === 3);
  expect([counts(), workbench.layout.active]).toEqual([[3, 0], 1]);
});

test("a stopped session shows that it is awaited, and appears when it continues", async () => {
  const home = new TestHome();
  const id = await home.spawn("echo its picture; exec cat", { name: "stopped" });
  const tui = new Tui(home.home);
  await tui.shows("its picture");
  const { runner_pid } = await home.meta(id);
  process.kill(runner_pid, "SIGSTOP");
  onTestFinished(() => wake(runner_pid));
  tui.press("enter");
  await tui.shows("stopped has not answered yet: it is busy or stopped. Esc stops waiting.");
  process.kill(runner_pid, "SIGCONT");
  await waitFor("the session to be open", () => !tui.text().includes(" amux "));
  await tui.shows("its picture");
  tui.type("typed after\r");
  await tui.shows("typed after");
  await tui.detach();
});

test("what is typed while a session opens reaches that session, not the one still shown; Esc stops waiting", async () => {
  const home = new TestHome();
  const front = await home.spawn("echo in front; exec cat", { name: "front" });
  const stopped = await home.spawn("echo its picture; exec cat", { name: "stopped" });
  const { runner_pid } = await home.meta(stopped);
  onTestFinished(() => wake(runner_pid));
  const tui = new Tui(home.home);
  await tui.shows("stopped");
  const choose = async (name: string): Promise<void> => {
    tui.press("alt+s");
    await tui.shows("Sessions");
    tui.type(`${name}\r`);
    await tui.hides("Sessions");
  };
  await choose("front");
  await waitFor("the first to be open", () => !tui.text().includes(" amux "));

  process.kill(runner_pid, "SIGSTOP");
  await choose("stopped");
  tui.type("for the second\r");
  await tui.shows("stopped has not answered yet");
  process.kill(runner_pid, "SIGCONT");
  await home.waitForText(stopped, "for the second");

  await choose("front");
  await tui.shows("in front");
  await tui.hides("has not answered yet");
  process.kill(runner_pid, "SIGSTOP");
  await choose("stopped");
  tui.type("dropped\r");
  await tui.shows("stopped has not answered yet");
  tui.press("esc");
  await tui.shows("Stopped waiting.");
  tui.type("for the first\r");
  expect(await home.waitForText(front, "for the first")).not.toMatch(/second|dropped/);
  process.kill(runner_pid, "SIGCONT");
  expect(await home.text(stopped)).not.toContain("dropped");
  await tui.detach();
});
