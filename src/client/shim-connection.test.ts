import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { waitFor } from "../../test/support/wait-for.ts";
import { encodeFrame } from "../protocol/frame-codec.ts";
import { openShimConnection } from "./open-shim-connection.ts";

let server: Server | undefined;
afterEach(() => {
  vi.useRealTimers();
  server?.close();
});

const HELLO = { _tag: "hello", version: 1, capabilities: [], sessionId: "sess-aaaaaaaa", incarnation: "i", ptys: [] };

/** Sends hello, then only `pong`. */
async function talk(answersPings: boolean): Promise<string> {
  const path = join(tempHome().path, "s.sock");
  server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.write(encodeFrame(HELLO));
    if (answersPings) {
      socket.on("data", (chunk) => chunk.includes("ping") && socket.write(encodeFrame({ _tag: "pong" })));
    } else socket.resume();
  });
  await new Promise<void>((resolve) => server?.listen(path, resolve));
  return path;
}

test.each([
  ["a process that has fallen silent is given up", false],
  ["one that answers is not", true],
])("%s", async (_, answersPings) => {
  const path = await talk(answersPings);
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const connection = await openShimConnection(path);
  const heard: string[] = [];
  connection.subscribe((event) => heard.push(event._tag === "closed" ? event.reason : event._tag));
  vi.advanceTimersByTime(20_000);
  if (answersPings) await waitFor("the answer", () => heard.includes("pong"));
  vi.advanceTimersByTime(20_000);
  if (answersPings) await waitFor("the second answer", () => heard.length === 2);
  else await waitFor("the end", () => connection.closed);
  expect(heard).toEqual(answersPings ? ["pong", "pong"] : ["lost"]);
  connection.close();
});

test("a process whose answers are not read is not given up", async () => {
  const path = await talk(true);
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const connection = await openShimConnection(path);
  connection.hold(true);
  vi.advanceTimersByTime(60_000);
  let closed: string | undefined;
  const answered = new Promise<void>((resolve) =>
    connection.subscribe((event) => {
      if (event._tag === "closed") closed = event.reason;
      resolve();
    }),
  );
  connection.hold(false);
  await answered;
  expect(closed).toBeUndefined();
  connection.close();
});
