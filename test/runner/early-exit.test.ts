/** A program that exits between a client's greeting and its request to attach. */
import { linkSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openShimConnection } from "../../src/client/open-shim-connection.ts";
import { ShimWatch } from "../../src/client/shim-watch.ts";
import type { SessionFiles } from "../../src/protocol/session-files.ts";
import { CliTerminal } from "./support/cli-terminal.ts";
import { TestHome } from "./support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";

/**
 * A proxy that holds the client's attach back until the runner has reported the exit. Returns the directory where a client finds
 * it.
 */
async function crossing({ socket, lock }: SessionFiles, onWish: () => void): Promise<string> {
  const directory = mkdtempSync("/tmp/amux-cross-");
  linkSync(lock, join(directory, basename(lock)));
  const server = createServer((client) => {
    const runner = connect(socket);
    const waiting: Buffer[] = [];
    let told = "";
    client.once("data", (greeting: Buffer) => {
      runner.write(greeting);
      client.on("data", (wish: Buffer) => {
        if (told.includes('"exit"')) return void runner.write(wish);
        if (waiting.push(wish) === 1) onWish();
      });
    });
    runner.on("data", (bytes: Buffer) => {
      client.write(bytes);
      told += bytes.toString("latin1");
      if (!told.includes('"exit"')) return;
      for (const wish of waiting.splice(0)) runner.write(wish);
    });
    for (const [one, other] of [
      [client, runner],
      [runner, client],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("end", () => other.end());
    }
  });
  await new Promise<void>((resolve) => server.listen(join(directory, basename(socket)), resolve));
  onTestFinished(() => {
    server.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

test("a client sees the last output and returns the exit code", async () => {
  const home = new TestHome();
  const go = join(home.home, "go");
  const id = await home.spawn(`until test -e ${go}; do sleep 0.02; done; echo last words; exit 7`);
  const sockets = await crossing(home.client.files(id), () => writeFileSync(go, ""));
  const terminal = new CliTerminal(["attach", id], home.home, undefined, { AMUX_SOCKET_DIR: sockets });
  expect(await terminal.ended()).toBe(7);
  await terminal.sees("last words");
});

test.each([
  { what: "from now on", since: undefined, told: ["last words", "exit 7"] },
  { what: "from the beginning", since: 0, told: ["last words", "exit 7"] },
  { what: "after the last word", since: "last words\r\n".length, told: ["exit 7"] },
])("a watcher of $what gets the last output, and then the exit, once", async ({ since, told }) => {
  const home = new TestHome();
  const go = join(home.home, "go");
  const id = await home.spawn(`until test -e ${go}; do sleep 0.02; done; echo last words; exit 7`);
  const files = home.client.files(id);
  const sockets = await crossing(files, () => writeFileSync(go, ""));
  const control = await openShimConnection(join(sockets, basename(files.socket)));
  const heard: string[] = [];
  const watch = new ShimWatch("pty-1", {
    onSnapshot: ({ screen }) => heard.push(/last words/.exec(screen)?.[0] ?? "something else"),
    onOutput: (data) => heard.push(data.toString().trim()),
    onExit: (exitCode) => heard.push(`exit ${exitCode}`),
  });
  await watch.open(control, since);
  await waitFor("the exit", () => heard.includes("exit 7"));
  await home.waitForEnd(id);
  expect(heard).toEqual(told);
  watch.stop();
  control.close();
});
