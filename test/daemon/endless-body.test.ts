import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { TestDaemon } from "./support/test-daemon.ts";

const MB = 1024 * 1024;

interface Sent {
  answer: string;
  bytes: number;
}

/** Sends a body without end until the daemon hangs up. */
function sendWithoutEnd(port: number, headers: string): Promise<Sent> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    const chunk = Buffer.alloc(64 * 1024, 0x20);
    const send = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    // Node drops an answer that it has not read when a write fails: the rest is sent behind the answer.
    socket.once("data", (data: Buffer) => {
      answer = data.toString("latin1").split("\r\n")[0]!;
      socket.on("drain", send);
      send();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve({ answer, bytes: socket.bytesWritten }));
    const lines = ["POST /v1/sessions HTTP/1.1", `Host: 127.0.0.1:${port}`, "Content-Length: 100000000000", headers];
    socket.write(`${lines.filter((line) => line !== "").join("\r\n")}\r\n\r\n`);
    socket.write(chunk);
  });
}

/** Sends all of a body before it reads anything, as browsers do. */
function sendFirst(port: number, head: string, body: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", reject);
    socket.write(`${head}\r\nHost: 127.0.0.1:${port}\r\nContent-Length: ${body.length}\r\n\r\n`);
    socket.write(body, () => socket.once("data", (data: Buffer) => resolve(data.toString("latin1").split("\r\n")[0]!)));
    onTestFinished(() => void socket.destroy());
  });
}

it("a client that sends all of a body that is too large learns that it is", async () => {
  const test = await new TestDaemon().start();
  const id = await test.launch("sleep 1000");
  const head = [
    `POST /v1/sessions/${id}/clipboard HTTP/1.1`,
    `Authorization: Bearer ${test.token}`,
    "Content-Type: image/png",
  ].join("\r\n");
  expect(await sendFirst(test.port, head, Buffer.alloc(21 * MB))).toBe("HTTP/1.1 413 Payload Too Large");
});

it("the endless body of a refused request is not read", async () => {
  const test = await new TestDaemon().start();
  for (const [headers, answer] of [
    ["", "HTTP/1.1 401 Unauthorized"],
    [`Authorization: Bearer ${test.token}`, "HTTP/1.1 405 Method Not Allowed"],
  ] as const) {
    const sent = await sendWithoutEnd(test.port, headers);
    expect(sent.answer).toBe(answer);
    // Bytes in the buffers of both sides count as sent.
    expect(sent.bytes).toBeLessThan(64 * MB);
  }
  expect(
    (await fetch(`http://127.0.0.1:${test.port}/v1/health`, { headers: { authorization: `Bearer ${test.token}` } }))
      .status,
  ).toBe(200);
});
