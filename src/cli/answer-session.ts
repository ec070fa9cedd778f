/** Answers a waiting session, wherever it runs. */
import { answerSession as answerRunner } from "../client/send-to-session.ts";
import { optional } from "../lib/values/optional.ts";
import type { Receipt } from "../protocol/daemon-api.ts";
import { sessionFiles } from "../protocol/session-files.ts";
import { answerAgent } from "../status/answer.ts";
import type { SessionView } from "../status/session-view.ts";
import { sessionDirectories } from "./mux/session-directories.ts";
import { askDaemon } from "./mux/remote.ts";
import { tmuxPort } from "./tmux-port.ts";

/** Allow or deny, an option's number or label, or text for the agent. */
export async function answerSession(session: SessionView, answer: string, asked?: string): Promise<Receipt> {
  const body = { answer, ...optional("asked", asked) };
  // The daemon of its machine answers it there.
  if (session.peer !== undefined) return askDaemon("POST", `/v1/sessions/${session.ref}/answer`, body);
  if (session.place === "tmux") return answerAgent(tmuxPort(session), body);
  return answerRunner(sessionFiles(sessionDirectories(), session.ref).socket, body);
}
