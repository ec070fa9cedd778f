/** A program that writes and exits at once: no byte may be lost, whatever the reader does. */
import { expect, test } from "vitest";
import { Pty, type PtyExit } from "../../src/runner/pty.ts";
import { TestHome } from "./support/sessions.ts";
import { isLong } from "../torture/long-form.ts";

const BYTES = 20_000;
// One process: its output is still on its way when its exit is reported.
const SCRIPT = `printf %0${BYTES}d 0; printf END; exit 7`;
const env = { PATH: process.env["PATH"] ?? "" };

/** A reader that loses bytes does so within the first dozen; bench/runner.mjs makes a thousand. */
const RUNS = isLong ? 200 : 60;

interface Outcome {
  bytes: number;
  end: string;
  exit: PtyExit;
}

function run(onData: () => void, prepare: (pty: Pty) => void): Promise<Outcome> {
  return new Promise((resolve) => {
    let bytes = 0;
    let end = "";
    const options = { command: ["/bin/sh", "-c", SCRIPT], cwd: "/", env, cols: 80, rows: 24 };
    const pty = new Pty(options, {
      onData: (data) => {
        bytes += data.length;
        end = (end + data.toString("latin1").slice(-3)).slice(-3);
        onData();
      },
      onExit: (exit) => resolve({ bytes, end, exit }),
    });
    prepare(pty);
  });
}

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

const nothing = (): void => undefined;
const whole: Outcome = { bytes: BYTES + 3, end: "END", exit: { exitCode: 7 } };

test.each([
  ["an idle reader", nothing, nothing],
  ["a busy reader", () => block(1), nothing],
  ["a paused reader", nothing, (pty: Pty) => pty.pause()],
])(`nothing is lost in ${RUNS} runs with %s`, async (_, onData, prepare) => {
  for (let at = 0; at < RUNS; at++) expect(await run(onData, prepare)).toEqual(whole);
});

test("the end of a short session is there for later clients", async () => {
  const home = new TestHome();
  const id = await home.spawn("seq 1 100; exit 3");
  const meta = await home.waitForEnd(id);
  expect(meta).toMatchObject({ alive: false, exit_code: 3, status: { label: "exited (3)", working: false } });
});

test("a program killed by a signal is reported as such", async () => {
  const home = new TestHome();
  const id = await home.spawn("kill -9 $$");
  expect(await home.waitForEnd(id)).toMatchObject({ exit_code: 137, exit_signal: "SIGKILL" });
});
