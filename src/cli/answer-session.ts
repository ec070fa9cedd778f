/** Answering a session that waits, wherever it is. */
import { answerSession as answerRunner } from "../client/speak.ts";
import { optional } from "../lib/values/optional.ts";
import type { Receipt } from "../protocol/daemon-api.ts";
import { sessionFiles } from "../protocol/session-files.ts";
import { answerAgent } from "../status/answer.ts";
import type { SessionView } from "../status/session-view.ts";
import { sessionPlaces } from "./mux/session-places.ts";
import { askDaemon } from "./mux/remote.ts";
import { tmuxPort } from "./tmux-port.ts";

/** Allow or deny, an option by its number or its words, or what the agent is told. */
export async function answerSession(session: SessionView, answer: string, asked?: string): Promise<Receipt> {
  const body = { answer, ...optional("asked", asked) };
  // Its daemon answers it over there, as this one would here.
  if (session.peer !== undefined) return askDaemon("POST", `/v1/sessions/${session.ref}/answer`, body);
  if (session.place === "tmux") return answerAgent(tmuxPort(session), body);
  return answerRunner(sessionFiles(sessionPlaces(), session.ref).socket, body);
}
