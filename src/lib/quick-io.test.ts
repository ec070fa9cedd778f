import { createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { connectQuickly, quicken, writeQuickly } from "./quick-io.ts";

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
  const far = quicken(accepted, (bytes) => void pieces.push(Buffer.from(bytes)));
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
  // Far more than a socket holds, in pieces small and large, while nobody reads.
  for (let number = 0; number < 3000; number++) {
    const piece = Buffer.alloc(1 + ((number * 7919) % 20_000), number);
    sent.push(piece);
    writeQuickly(near, piece);
  }
  expect(near.writableLength).toBeGreaterThan(0);
  far.resume();
  const whole = Buffer.concat(sent);
  await expect.poll(() => heard().length, { timeout: 20_000 }).toBe(whole.length);
  expect(heard().equals(whole)).toBe(true);
});

test("pausing holds, and both ends hear of the end", async () => {
  const { near, far, heard } = await pair();
  const echo: Buffer[] = [];
  near.on("data", (bytes: Buffer) => echo.push(Buffer.from(bytes)));
  writeQuickly(near, Buffer.from("kept"));
  writeQuickly(far, Buffer.from("answer"));
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
  writeQuickly(near, Buffer.from("x"));
  writeQuickly(near, Buffer.from("y"));
  expect(((await failed) as [NodeJS.ErrnoException])[0].code).toMatch(/EPIPE|ECONNRESET/);
});
