import { connect } from "node:net";
import { expect, it } from "vitest";
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
    socket.on("data", (data: Buffer) => (answer ||= data.toString("latin1").split("\r\n")[0]!));
    socket.on("drain", send);
    socket.on("error", () => undefined);
    socket.on("close", () => resolve({ answer, bytes: socket.bytesWritten }));
    const lines = ["POST /v1/sessions HTTP/1.1", `Host: 127.0.0.1:${port}`, "Content-Length: 100000000000", headers];
    socket.write(`${lines.filter((line) => line !== "").join("\r\n")}\r\n\r\n`);
    send();
  });
}

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
