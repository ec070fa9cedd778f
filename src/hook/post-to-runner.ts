/** `POST /hook` on a runner's socket, by hand: loading Node's HTTP client would double the start-up time. */
import { createConnection } from "node:net";
import { inputDeadline } from "../lib/process/input-deadline.ts";
import { parseObject } from "../lib/json/json.ts";
import { patience } from "./patience.ts";

/** A runner answers in a millisecond; one that does not is stuck or gone. */
const ANSWER_MS = 500;

/** A runner that holds a hook sends a sign of life every two seconds. */
const SILENCE_MS = 7000;

export interface Posted {
  /** Whether the runner accepted it. */
  taken: boolean;
  /** The runner's answer, if it held the hook until the user decided. */
  decision?: Record<string, unknown>;
}

/** Calls `onHeld` when the runner holds the hook; there is no time limit from then on. */
export function postToRunner(socketPath: string, message: object, onHeld: () => void): Promise<Posted> {
  const body = Buffer.from(JSON.stringify(message));
  const head = `POST /hook HTTP/1.1\r\nHost: amux\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
  return new Promise((resolve) => {
    const socket = createConnection(socketPath);
    const done = (posted: Posted): void => {
      cancel();
      socket.destroy();
      resolve(posted);
    };
    let cancel = inputDeadline(patience(ANSWER_MS), () => done({ taken: false }));
    let answer = "";
    const end = (): void => {
      const decision = isHeld(answer) ? parseObject(bodyOf(answer)) : undefined;
      done({
        taken: statusOf(answer)?.startsWith("2") === true,
        ...(decision === undefined ? {} : { decision }),
      });
    };
    socket.on("connect", () => socket.write(Buffer.concat([Buffer.from(head), body])));
    socket.setEncoding("utf8").on("data", (piece: string) => {
      if (answer === "" && isHeld(piece)) onHeld();
      answer += piece;
      cancel();
      if (isHeld(answer)) cancel = inputDeadline(patience(SILENCE_MS), () => done({ taken: true }));
      else if (answer.includes("\r\n\r\n")) end();
      else cancel = inputDeadline(patience(ANSWER_MS), () => done({ taken: false }));
    });
    socket.on("error", end).on("close", end);
  });
}

function statusOf(answer: string): string | undefined {
  return /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
}

/** A held hook gets 200; any other gets 204. */
function isHeld(answer: string): boolean {
  return statusOf(answer) === "200";
}

function bodyOf(answer: string): string {
  return answer.slice(answer.indexOf("\r\n\r\n") + 4).trim();
}
