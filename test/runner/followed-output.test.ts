/** `amux run … | reader`: the program waits for the reader, and the reader gets everything. */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import type { ShimConnection } from "../../src/client/shim-connection.ts";
import { openShimConnection } from "../../src/client/open-shim-connection.ts";
import { AMUX, cliVars } from "../support/run-cli.ts";
import { waitFor } from "../support/wait-for.ts";
import { TestHome } from "./support/sessions.ts";

/** Far more than a runner holds and sockets take. */
const LINES = 250_000;

/** Tells how far the program came, and that it ended. */
const program = (home: TestHome): string[] => [
  process.execPath,
  "-e",
  `const fs = require("node:fs");
   for (let n = 1; n <= ${LINES}; n += 1000) {
     fs.writeSync(1, Array.from({ length: 1000 }, (_, at) => n + at + "\\n").join(""));
     fs.writeFileSync(${JSON.stringify(join(home.home, "written"))}, String(n));
   }
   fs.writeFileSync(${JSON.stringify(join(home.home, "done"))}, "");`,
];

function written(home: TestHome): string | undefined {
  const path = join(home.home, "written");
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** A program that runs seldom may look like this, too; then the test shows less, but nothing wrong. */
const SAME_LOOKS = 10;

/** It writes no more, although it has not ended. */
async function isHeldUp(home: TestHome): Promise<void> {
  let before: string | undefined;
  let same = 0;
  await waitFor("the program to be held up", () => {
    const now = written(home);
    same = now !== undefined && now === before ? same + 1 : 0;
    before = now;
    return same === SAME_LOOKS;
  });
  expect(existsSync(join(home.home, "done"))).toBe(false);
}

/** The reader has not begun to read. */
function piped(home: TestHome): ChildProcessByStdio<null, Readable, null> {
  const env = cliVars({ home: home.home, vars: { AMUX_HOME: home.home, SHELL: "/bin/sh" } });
  const child = spawn(process.execPath, [AMUX, "run", "--", ...program(home)], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function linesOf(stream: Readable): Promise<string[]> {
  let text = "";
  for await (const chunk of stream.setEncoding("utf8")) text += String(chunk);
  return text.split("\n");
}

test("a slow reader gets every line", async () => {
  const home = new TestHome();
  const child = piped(home);
  await isHeldUp(home);
  const lines = await linesOf(child.stdout);
  expect(lines).toHaveLength(LINES + 1);
  expect(lines.findIndex((line, at) => line !== String(at + 1))).toBe(LINES);
});

/** Attached like the starter of a piped run; resolves with all it received until the program's end. */
function follow(connection: ShimConnection): Promise<string> {
  let text = "";
  const ended = new Promise<string>((resolve) => {
    connection.subscribe((event) => {
      if (event._tag === "snapshot") text += "[snapshot]";
      if (event._tag === "output") text += event.data.toString("latin1");
      if (event._tag === "exit") resolve(text);
    });
  });
  connection.send({ _tag: "attach", ptyId: "pty-1", since: 0, whole: true });
  return ended;
}

test("output waits for a starter that attaches late", async () => {
  const home = new TestHome();
  const id = await home.client.spawn({ command: program(home), cwd: home.home }, { isFollowed: true });
  await isHeldUp(home);
  const text = await follow(await openShimConnection(home.client.files(id).socket));
  expect(text.startsWith("1\r\n2\r\n")).toBe(true);
  expect(text.split("\r\n")).toHaveLength(LINES + 1);
});

test("another viewer that resizes the terminal costs the reader nothing", async () => {
  const home = new TestHome();
  const id = await home.client.spawn({ command: program(home), cwd: home.home }, { isFollowed: true });
  const { socket } = home.client.files(id);
  const [reader, other] = [await openShimConnection(socket), await openShimConnection(socket)];
  const received = follow(reader);
  reader.hold(true);
  await isHeldUp(home);
  other.send({ _tag: "attach", ptyId: "pty-1" });
  other.send({ _tag: "resize", ptyId: "pty-1", cols: 120, rows: 40 });
  other.send({ _tag: "focus", ptyId: "pty-1" });
  await waitFor("the new size", async () => (await home.meta(id)).terminal_cols === 120);
  reader.hold(false);
  const text = await received;
  expect(text.includes("[snapshot]")).toBe(false);
  expect(text.split("\r\n")).toHaveLength(LINES + 1);
});

test("a reader that leaves releases the program", async () => {
  const home = new TestHome();
  const child = piped(home);
  await isHeldUp(home);
  child.stdout.destroy();
  await waitFor("the program's end", () => existsSync(join(home.home, "done")));
});

test("a killed session ends, although its reader has stopped reading", async () => {
  const home = new TestHome();
  piped(home);
  await isHeldUp(home);
  const [id = ""] = await home.client.list();
  await home.client.kill(id);
  await home.waitForEnd(id);
});
