/** Input arrives completely, once and in order, however it is split. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openShimConnection } from "../../src/client/open-shim-connection.ts";
import { ShimPty } from "../../src/client/shim-pty.ts";
import { RawClient } from "./support/raw-client.ts";
import { TestHome } from "./support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";
import { Watching } from "./support/test-viewer.ts";

const MEGABYTE = 1024 * 1024;

function md5(data: Uint8Array): string {
  return createHash("md5").update(data).digest("hex");
}

/** A program that reads this many bytes and prints their checksum. */
function checksumOf(bytes: number): string {
  return `stty raw -echo; echo ready; head -c ${bytes} | md5sum; exec cat`;
}

test("a bracketed paste of 4 MB arrives whole while the program writes as much back", async () => {
  const home = new TestHome();
  const body = Buffer.alloc(4 * MEGABYTE);
  for (let at = 0; at < body.length; at++) body[at] = 0x20 + ((at * 31 + (at >> 8)) % 95);
  const paste = Buffer.concat([Buffer.from("\x1b[200~"), body, Buffer.from("\x1b[201~")]);
  // tee to the terminal fills both directions, which deadlocks a writer that does not read. The checksum goes to a file, since a
  // slow viewer gets a snapshot instead of all output.
  const id = await home.spawn(
    `stty raw -echo; echo ready; head -c ${paste.length} | tee /dev/tty | md5sum > sum.new; mv sum.new sum; exec cat`,
  );
  const watching = new Watching(new ShimPty(await openShimConnection(home.client.files(id).socket)));
  await watching.sees("ready");
  watching.watch.write(paste);
  const sum = join(home.home, "sum");
  await waitFor("the checksum", () => existsSync(sum));
  expect(readFileSync(sum, "utf8")).toContain(md5(paste));
});

test("a paste of 10 MB in a single published frame arrives whole", async () => {
  const home = new TestHome();
  const text = "paste me ".repeat((10 * MEGABYTE) / 9);
  const id = await home.spawn(checksumOf(text.length));
  await home.waitForText(id, "ready");
  const client = new RawClient(home.client.files(id).socket);
  client.send({ _tag: "input", ptyId: "pty-1", data: text });
  await home.waitForText(id, md5(Buffer.from(text)));
  client.destroy();
});

test("a program that does not read blocks nobody, and reads everything later", async () => {
  const home = new TestHome();
  const data = Buffer.alloc(2 * MEGABYTE, "abcdefghij");
  // Before the program: it would go on without it.
  execFileSync("mkfifo", [join(home.home, "go.fifo")]);
  const id = await home.spawn(
    `stty raw -echo; echo ready; read -r go < go.fifo; head -c ${data.length} | md5sum; exec cat`,
  );
  const connection = await openShimConnection(home.client.files(id).socket);
  const watching = new Watching(new ShimPty(connection));
  await watching.sees("ready");
  watching.watch.write(data);
  // Meanwhile the runner answers others, and comes to rest: it neither blocks nor spins.
  const { alive, runner_pid } = await home.meta(id);
  expect(alive).toBe(true);
  let before = { used: timeOf(runner_pid), at: performance.now() };
  let isCalm: boolean[] = [];
  await waitFor("the runner's rest", () => {
    const now = { used: timeOf(runner_pid), at: performance.now() };
    isCalm = [...isCalm, now.used - before.used < CALM_SHARE * (now.at - before.at)].slice(-LOOKS);
    before = now;
    return isCalm.length === LOOKS && isCalm.every(Boolean);
  });
  await home.client.spawn({ command: ["sh", "-c", "echo go > go.fifo"], cwd: home.home });
  await waitFor("the checksum", () => watching.text().includes(md5(data)));
});

/** In a row. */
const LOOKS = 5;

/** Of a processor: it tries again ten times a second. */
const CALM_SHARE = 0.1;

/** Processor time so far, in milliseconds. */
function timeOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, "latin1").split(" ")[0]) / 1e6;
}

test("keys typed one by one by two clients keep their order", async () => {
  const home = new TestHome();
  const id = await home.spawn("stty raw -echo; echo ready; head -c 2000 | tr -d '\\n' | fold -w 1000; exec cat");
  const { socket } = home.client.files(id);
  await home.waitForText(id, "ready");
  const [first, second] = [await openShimConnection(socket), await openShimConnection(socket)];
  for (let at = 0; at < 1000; at++) {
    first.input("pty-1", Buffer.from(String.fromCharCode(0x61 + (at % 26))));
    second.input("pty-1", Buffer.from(String(at % 10)));
  }
  await waitFor("all of it", async () => (await home.text(id)).replaceAll(/ready|\s/g, "").length >= 2000);
  const typed = (await home.text(id)).replaceAll(/ready|\s/g, "");
  const letters = typed.replaceAll(/\d/g, "");
  const digits = typed.replaceAll(/[a-z]/g, "");
  expect(letters).toBe(Array.from({ length: 1000 }, (_, at) => String.fromCharCode(0x61 + (at % 26))).join(""));
  expect(digits).toBe(Array.from({ length: 1000 }, (_, at) => String(at % 10)).join(""));
});

test("bytes that are not text arrive unchanged", async () => {
  const home = new TestHome();
  const data = Buffer.from(Array.from({ length: 1024 }, (_, at) => (at * 7) % 256));
  const id = await home.spawn(checksumOf(data.length));
  await home.waitForText(id, "ready");
  const connection = await openShimConnection(home.client.files(id).socket);
  connection.input("pty-1", data);
  await home.waitForText(id, md5(data));
  connection.close();
});

test("bytes that are not text arrive unchanged by POST", async () => {
  const home = new TestHome();
  const data = Buffer.concat([
    Buffer.from(Array.from({ length: 256 }, (_, at) => at)),
    // Half a character, an overlong one, a surrogate, another encoding's mark.
    Buffer.from([0xc3, 0xf0, 0x9f, 0x98, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0xff, 0xfe, 0x00]),
  ]);
  const id = await home.spawn(checksumOf(data.length));
  await home.waitForText(id, "ready");
  expect((await home.ask(id, { method: "POST", path: "/input", body: data })).status).toBe(204);
  await home.waitForText(id, md5(data));
});

test("Ctrl-C reaches the program, not the runner", async () => {
  const home = new TestHome();
  const id = await home.spawn("trap 'echo interrupted' INT; echo ready; while :; do sleep 0.05; done");
  await home.waitForText(id, "ready");
  await home.ask(id, { method: "POST", path: "/input", body: "\x03" });
  await home.waitForText(id, "interrupted");
});

test("a program that sends queries and never reads the answers costs nothing", async () => {
  const home = new TestHome();
  const id = await home.spawn(
    "stty raw -echo; i=0; while [ $i -lt 20000 ]; do printf '\\033[c\\033[6n'; i=$((i+1)); done; echo asked; sleep 1000",
  );
  await home.waitForText(id, "asked");
  expect((await home.meta(id)).alive).toBe(true);
});
