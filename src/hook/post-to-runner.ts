/** `POST /hook` on a runner's socket, by hand: loading Node's HTTP client would double the start-up time. */
import { createConnection } from "node:net";

/** A runner answers in a millisecond; one that does not is stuck or gone. */
const ANSWER_MS = 500;

/** Whether the runner took it. */
export function postToRunner(socketPath: string, message: object): Promise<boolean> {
  const body = Buffer.from(JSON.stringify(message));
  const head = `POST /hook HTTP/1.1\r\nHost: amux\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
  return new Promise((resolve) => {
    const socket = createConnection(socketPath);
    const done = (taken: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(taken);
    };
    const timer = setTimeout(() => done(false), ANSWER_MS);
    let answer = "";
    socket.on("connect", () => socket.write(Buffer.concat([Buffer.from(head), body])));
    socket.setEncoding("latin1").on("data", (piece: string) => {
      answer += piece;
      const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
      if (status !== undefined) done(status.startsWith("2"));
    });
    socket.on("error", () => done(false)).on("close", () => done(false));
  });
}
