import { createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { connectQuickly, quicken, QuickWriter } from "./quick-io.ts";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

/** Two ends of a connection, both quick; what the accepting end hears is gathered. */
async function pair(): Promise<{ near: Socket; far: Socket; heard: () => Buffer }> {
  const directory = mkdtempSync("/tmp/amux-quick-");
  const path = join(directory, "socket");
  const server: Server = createServer({ pauseOnConnect: true });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const near = connectQuickly(path);
  const [accepted] = (await once(server, "connection")) as [Socket];
  const pieces: Buffer[] = [];
  const far = quicken(accepted, { hear: (bytes) => void pieces.push(Buffer.from(bytes)) });
  open.push({
    close: () => {
      near.destroy();
      far.destroy();
      server.close();
      rmSync(directory, { recursive: true });
    },
  });
  return { near, far, heard: () => Buffer.concat(pieces) };
}

test("what is written arrives once and in order, however much the other side lets wait", async () => {
  const { near, far, heard } = await pair();
  const sent: Buffer[] = [];
  const writer = new QuickWriter(near);
  // Far more than a socket holds, in pieces small and large, while nobody reads.
  for (let number = 0; number < 3000; number++) {
    const piece = Buffer.alloc(1 + ((number * 7919) % 20_000), number);
    sent.push(piece);
    writer.write(piece);
  }
  expect(writer.waitingBytes).toBeGreaterThan(0);
  far.resume();
  const whole = Buffer.concat(sent);
  await expect.poll(() => heard().length).toBe(whole.length);
  expect(heard().equals(whole)).toBe(true);
  expect(writer.waitingBytes).toBe(0);
  // Past the stream again.
  writer.write(Buffer.from("a key"));
  expect(near.writableLength).toBe(0);
  await expect.poll(() => heard().subarray(whole.length).toString()).toBe("a key");
});

test("bytes that are used again meanwhile arrive as they were", async () => {
  const { near, far, heard } = await pair();
  const writer = new QuickWriter(near);
  const sent: Buffer[] = [];
  const piece = Buffer.alloc(1000);
  for (let number = 0; number < 3000; number++) {
    piece.fill(number);
    sent.push(Buffer.from(piece));
    writer.write(piece);
  }
  far.resume();
  const whole = Buffer.concat(sent);
  await expect.poll(() => heard().length).toBe(whole.length);
  expect(heard().equals(whole)).toBe(true);
});

test.each(["destroy", "end"] as const)(
  "after %s nothing is written to whatever has its descriptor then",
  async (how) => {
    const { near, far } = await pair();
    far.resume();
    near.on("error", () => undefined);
    const writer = new QuickWriter(near);
    near[how]();
    if (how === "end") await once(near, "close");
    const path = join(mkdtempSync("/tmp/amux-quick-"), "file");
    const files = Array.from({ length: 20 }, () => openSync(path, "a"));
    writer.write(Buffer.from("for nobody"));
    for (const fd of files) closeSync(fd);
    expect(readFileSync(path, "utf8")).toBe("");
    rmSync(dirname(path), { recursive: true });
  },
);

test("pausing holds, and both ends hear of the end", async () => {
  const { near, far, heard } = await pair();
  const echo: Buffer[] = [];
  near.on("data", (bytes: Buffer) => echo.push(Buffer.from(bytes)));
  new QuickWriter(near).write(Buffer.from("kept"));
  new QuickWriter(far).write(Buffer.from("answer"));
  await expect.poll(() => Buffer.concat(echo).toString()).toBe("answer");
  expect(heard().toString()).toBe("");
  far.resume();
  await expect.poll(() => heard().toString()).toBe("kept");
  const closed = once(far, "close");
  near.end();
  await closed;
});

test("writing to somebody who has gone is told as an error, never thrown", async () => {
  const { near, far } = await pair();
  const failed = once(near, "error");
  far.destroy();
  await once(far, "close");
  const writer = new QuickWriter(near);
  writer.write(Buffer.from("x"));
  writer.write(Buffer.from("y"));
  expect(((await failed) as [NodeJS.ErrnoException])[0].code).toMatch(/EPIPE|ECONNRESET/);
});
