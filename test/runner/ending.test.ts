/** Ending sessions whose process does not simply exit. */
import { mkdirSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { endFromOutside } from "../../src/client/end-runner.ts";
import { knownSessions } from "../../src/client/session-list.ts";
import { ShimPty } from "../../src/client/shim-pty.ts";
import { isLockHeld } from "../../src/lib/process/process-lock.ts";
import { TestHome } from "./support/sessions.ts";
import { isRunning } from "../support/process-state.ts";
import { waitFor } from "../support/wait-for.ts";

/** It ignores SIGHUP, and so does its background job. */
const STUBBORN = `trap "" HUP; (trap "" HUP; exec sleep 1000) & echo job=$!; exec sleep 1000`;

async function stubborn(home: TestHome): Promise<{ id: string; pids: number[]; runner: number }> {
  const id = await home.spawn(STUBBORN);
  const [, job = ""] = /job=(\d+)/.exec(await home.waitForText(id, /job=\d+/)) ?? [];
  const { pid, runner_pid } = await home.meta(id);
  return { id, pids: [pid, Number(job)], runner: runner_pid };
}

test("a session with a stopped process is continued and ended in order", async () => {
  const home = new TestHome();
  const { id, pids, runner } = await stubborn(home);
  process.kill(runner, "SIGSTOP");
  await home.client.kill(id);
  expect(pids.filter(isRunning)).toEqual([]);
  expect(await home.waitForEnd(id)).toMatchObject({ alive: false, exit_code: 137 });
});

test("a session that never answers is ended from outside, with everything in it", async () => {
  const home = new TestHome();
  const { id, pids, runner } = await stubborn(home);
  const { lock } = home.client.files(id);
  process.kill(runner, "SIGSTOP");
  await endFromOutside(lock, true);
  await waitFor("its programs to go", () => !pids.some(isRunning));
  expect(isLockHeld(lock)).toBe(false);
  const [left] = knownSessions({ home: home.home });
  expect(left, "nobody could write down how it ended").toMatchObject({ alive: false, meta: { id, alive: true } });
});

test("an unreachable session is ended, and records how it ended", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const { pid, runner_pid } = await home.meta(id);
  const { socket } = home.client.files(id);
  // A directory in its place, so that the socket cannot come back. It would, if the runner went on in between.
  process.kill(runner_pid, "SIGSTOP");
  rmSync(socket);
  mkdirSync(socket, { recursive: true });
  process.kill(runner_pid, "SIGCONT");
  await home.client.kill(id);
  expect(isRunning(pid)).toBe(false);
  expect(home.storedMeta(id)).toMatchObject({ alive: false, exit_code: 129 });
});

test("whoever hears of the end finds it in the session's files, however long they take to write", async () => {
  const home = new TestHome();
  const id = await home.spawn("read go; seq 1 10000; exit 9");
  const [viewer, other] = [await home.client.connect(id), await home.client.connect(id)];
  const heard: boolean[] = [];
  const note = (): unknown => heard.push(home.storedMeta(id).alive);
  const ignore = (): void => undefined;
  const service = new ShimPty(viewer);
  let isWatched = false;
  service.watch("pty-1", { onSnapshot: () => (isWatched = true), onOutput: ignore, onResize: ignore, onExit: note });
  other.subscribe(({ _tag }) => _tag === "exit" && note());
  await waitFor("the viewer to be there", () => isWatched);
  other.input("pty-1", Buffer.from("\n"));
  await waitFor("both to hear of it", () => heard.length === 2);
  expect(heard).toEqual([false, false]);
});
