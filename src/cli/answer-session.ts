/** Answering a session that waits, wherever it is. */
import { AgentRegistry } from "../agents/registry.ts";
import { askRunner } from "../client/runner-http.ts";
import { RunnerPort } from "../client/runner-port.ts";
import { sessionFiles } from "../protocol/session-files.ts";
import { answerAgent, type AnswerKeys, type AnswerPort, type Receipt } from "../status/answer.ts";
import type { SessionView } from "../status/session-view.ts";
import { sessionPlaces } from "./mux/places.ts";
import { askDaemon } from "./mux/remote.ts";
import { tmuxPort } from "./tmux-port.ts";

/** `allow` and `deny` decide about a permission; anything else is what the agent is told. */
export async function answerSession(session: SessionView, answer: string): Promise<Receipt> {
  // Its daemon answers it over there, as this one would here.
  if (session.peer !== undefined) return askDaemon("POST", `/v1/sessions/${session.ref}/answer`, { answer });
  return answerAgent(await portOf(session), answer, await keysOf(session.top.agent));
}

async function portOf(session: SessionView): Promise<AnswerPort> {
  if (session.place === "tmux") return tmuxPort(session);
  const { socket } = sessionFiles(sessionPlaces(), session.ref);
  return new RunnerPort((request) => askRunner(socket, request));
}

async function keysOf(agent: string): Promise<AnswerKeys | undefined> {
  const registry = new AgentRegistry();
  return registry.has(agent) ? (await registry.get(agent)).hooks?.answerKeys : undefined;
}
