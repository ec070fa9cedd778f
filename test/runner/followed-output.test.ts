/** `amux run … | reader`: the program waits for the reader, and the reader gets everything. */
import { expect, test } from "vitest";
import type { ShimConnection } from "../../src/client/shim-connection.ts";
import { openShimConnection } from "../../src/client/open-shim-connection.ts";
import { linesOf, pipedCommand, type PipedCommand } from "../support/piped-command.ts";
import { waitFor } from "../support/wait-for.ts";
import { CountingProgram, firstWrongLine, LINES } from "./support/counting-program.ts";
import { TestHome } from "./support/sessions.ts";

/** The reader has not begun to read. */
function piped(home: TestHome, { command }: CountingProgram): PipedCommand {
  return pipedCommand(["run", "--", ...command], {
    home: home.home,
    vars: { AMUX_HOME: home.home, SHELL: "/bin/sh" },
  });
}

test("a slow reader gets every line", async () => {
  const home = new TestHome();
  const program = new CountingProgram(home.home);
  const child = piped(home, program);
  await program.isHeldUp();
  const lines = await linesOf(child);
  expect(lines).toHaveLength(LINES + 1);
  expect(firstWrongLine(lines)).toBe(LINES);
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
  const program = new CountingProgram(home.home);
  const id = await home.client.spawn({ command: program.command, cwd: home.home }, { isFollowed: true });
  await program.isHeldUp();
  const text = await follow(await openShimConnection(home.client.files(id).socket));
  expect(text.startsWith("1\r\n2\r\n")).toBe(true);
  expect(text.split("\r\n")).toHaveLength(LINES + 1);
});

test("another viewer that resizes the terminal costs the reader nothing", async () => {
  const home = new TestHome();
  const program = new CountingProgram(home.home);
  const id = await home.client.spawn({ command: program.command, cwd: home.home }, { isFollowed: true });
  const { socket } = home.client.files(id);
  const [reader, other] = [await openShimConnection(socket), await openShimConnection(socket)];
  const received = follow(reader);
  reader.hold(true);
  await program.isHeldUp();
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
  const program = new CountingProgram(home.home);
  const child = piped(home, program);
  await program.isHeldUp();
  child.stdout.destroy();
  await waitFor("the program's end", () => program.hasEnded);
});

test("a killed session ends, although its reader has stopped reading", async () => {
  const home = new TestHome();
  const program = new CountingProgram(home.home);
  piped(home, program);
  await program.isHeldUp();
  const [id = ""] = await home.client.list();
  await home.client.kill(id);
  await home.waitForEnd(id);
});
