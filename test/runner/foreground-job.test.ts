import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { ForegroundWatch } from "../../src/runner/foreground-job.ts";
import { Pty } from "../../src/runner/pty.ts";
import { foregroundOf } from "../../src/lib/process/processes.ts";
import { waitFor } from "../support/wait-for.ts";

afterEach(() => void vi.useRealTimers());

test("a program is found that a busy shell starts late and that prints nothing", async () => {
  const env = { PATH: process.env["PATH"] ?? "", PS1: "$ " };
  let printed = "";
  const pty = new Pty(
    { command: ["sh", "-i"], cwd: "/", env, cols: 80, rows: 24 },
    { onData: (data) => (printed += data.toString("latin1")), onExit: () => undefined },
  );
  onTestFinished(() => void process.kill(pty.pid, "SIGKILL"));
  const found: (string | undefined)[] = [];
  const terminal = { pty, exit: undefined, isFullScreen: false, lastInputAt: undefined as number | undefined };
  const watch = new ForegroundWatch(
    () => terminal,
    (job) => found.push(job?.program),
    (error) => {
      throw error;
    },
  );
  onTestFinished(() => watch.close());
  await waitFor("the prompt", () => printed.includes("$ "));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  terminal.lastInputAt = Date.now();
  // As for the echo of a command that the shell has not begun yet.
  watch.stirred();
  vi.advanceTimersByTime(2000);
  expect(found).toEqual([]);
  pty.input.write(Buffer.from("sleep 600\r"));
  while ([undefined, pty.pid].includes(foregroundOf(pty.pid))) await new Promise((resolve) => setImmediate(resolve));
  vi.advanceTimersByTime(4000);
  expect(found).toEqual(["sleep"]);
});
