/** The history process hangs, as on a dead disk: the daemon continues without it. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FileService } from "../../src/daemon/files/file-service.ts";
import { holdClock } from "../support/held-clock.ts";
import { needsLinux } from "../support/needs.ts";
import { tempHome } from "../support/temp-home.ts";
import { waitFor } from "../support/wait-for.ts";
import { AMUX, TestDaemon } from "./support/test-daemon.ts";
import { watchHealth } from "./support/watch-health.ts";

const STILL_MS = 20_000;

function readerOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim().split(" ");
  return Number(children.find((child) => commandOf(child).includes("history-worker")));
}

/** Empty for a process that is gone. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}

test(
  "a request to a blocked history process fails with a reason, and the next one is answered",
  needsLinux,
  async () => {
    const { path: home } = tempHome();
    const { pass } = holdClock();
    const problems: string[] = [];
    const files = new FileService(
      { home, platform: process.platform, vars: { AMUX_HOME: home } },
      { onNews: () => undefined, onProblem: (_, error) => problems.push(String(error)) },
      { file: join(dirname(AMUX), "history-worker.cjs"), standingStillMs: STILL_MS },
    );
    onTestFinished(() => files.close());
    const list = async (): Promise<unknown> => {
      let text = "";
      for await (const piece of files.read({ kind: "list", options: { since: new Date(0) } })) text += piece;
      return JSON.parse(text);
    };
    expect(await list()).toEqual([]);
    const reader = readerOf(process.pid);
    process.kill(reader, "SIGSTOP");
    const failed = expect(list()).rejects.toMatchObject({
      code: "INTERNAL",
      message: expect.stringContaining("did not respond"),
    });
    await expect.poll(() => pass(STILL_MS).then(() => problems)).toHaveLength(1);
    await failed;
    const next = list();
    // It is restarted a while after it is gone, and a busy machine takes its time to end it.
    await expect.poll(() => pass(1000).then(() => readerOf(process.pid))).toSatisfy((pid) => pid > 0 && pid !== reader);
    expect(await next).toEqual([]);
    expect(existsSync(`/proc/${reader}`)).toBe(false);
    expect(problems).toEqual([expect.stringContaining("did not respond")]);
  },
);

test(
  "a daemon whose history process is blocked answers, runs sessions, and ends the process with itself",
  needsLinux,
  async () => {
    const machine = await new TestDaemon().start();
    const reader = await waitFor("the reader", () => readerOf(machine.pid));
    process.kill(reader, "SIGSTOP");
    const healthy = watchHealth(machine);
    const id = await machine.launch("echo still-here; exec cat");
    await waitFor("its output", async () =>
      (await machine.ask("GET", `/v1/sessions/${id}/text`)).text.includes("still-here"),
    );
    await healthy();
    await machine.kill("SIGTERM");
    await waitFor("the reader to go", () => !existsSync(`/proc/${reader}`));
  },
);

test("the history process exits when its daemon is killed", needsLinux, async () => {
  const machine = await new TestDaemon().start();
  const reader = await waitFor("the reader", () => readerOf(machine.pid));
  await machine.kill("SIGKILL");
  await waitFor("the reader to go", () => !existsSync(`/proc/${reader}`));
});
