/** Queues of sessions: of this machine's through their runners or files, of a linked machine's through the daemon. */
import { existsSync } from "node:fs";
import { everyQueue } from "../../client/every-queue.ts";
import { actOnQueue } from "../../client/queue-of-runner.ts";
import { DaemonMissing } from "../../client/daemon-client.ts";
import { knownSessions, type KnownSession } from "../../client/session-list.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { AllQueues, PromptQueueAnswer, QueueAct, QueueChange } from "../../protocol/queue.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { sessionFiles } from "../../protocol/session-files.ts";
import { actOnStored } from "../../status/queue/stored-queue.ts";
import { readSchedule, shownSchedule } from "../../status/queue/schedule-file.ts";
import { usageError } from "../command.ts";
import type { Output } from "../output.ts";
import { peerNames } from "../peers/peer-names.ts";
import { chooseSession } from "./choose.ts";
import { askDaemon, chooseRemote, isRemoteRef } from "./remote.ts";
import { sessionDirectories } from "./session-directories.ts";

export const NO_DAEMON = "No daemon runs";

export async function actOnSession(ref: string, act: QueueAct, output: Output): Promise<PromptQueueAnswer> {
  if (isRemoteRef(ref)) return throughDaemon((await chooseRemote(ref)).id, act);
  return actOnKnown(chooseSession(ref), act, output);
}

async function actOnKnown({ meta, alive }: KnownSession, act: QueueAct, output: Output): Promise<PromptQueueAnswer> {
  const files = sessionFiles(sessionDirectories(), meta.id);
  if (alive) return actOnQueue(files.socket, act);
  if (act.kind === "list") return actOnStored(meta.id, files, act, Date.now());
  if (act.kind === "add" && meta.kind === "shell")
    throw new AgentMuxError(
      "INVALID_STATE_TRANSITION",
      "The session has ended, and it has no agent that could be resumed.",
    );
  try {
    return await throughDaemon(meta.id, act);
  } catch (error) {
    if (!(error instanceof DaemonMissing)) throw error;
    if (act.kind === "add")
      output.note(`${NO_DAEMON}: the prompt waits until the session is resumed. See amux daemon start.`);
    return actOnStored(meta.id, files, act, Date.now());
  }
}

function throughDaemon(id: string, act: QueueAct): Promise<PromptQueueAnswer> {
  const path = `/v1/sessions/${id}/queue`;
  if (act.kind === "add") return askDaemon("POST", path, act.request);
  if (act.kind === "change") return askDaemon("PUT", path, act.change);
  if (act.kind === "remove") return askDaemon("DELETE", `${path}?item=${encodeURIComponent(act.item)}`);
  return askDaemon("GET", path);
}

/** Of this machine. */
export function allQueues(): Promise<AllQueues> {
  const places = sessionDirectories();
  const now = Date.now();
  const known = new Map(knownSessions(places).map((session) => [session.meta.id, session]));
  const list: QueueAct = { kind: "list" };
  return everyQueue(
    [...known.keys()].filter((id) => existsSync(sessionFiles(places, id).queue)),
    (id) => {
      const files = sessionFiles(places, id);
      return known.get(id)!.alive ? actOnQueue(files.socket, list) : actOnStored(id, files, list, now);
    },
    () => readSchedule(places.home).map((item) => shownSchedule(item, now)),
  );
}

export function isPromptId(text: string): boolean {
  return /^q-[a-z0-9]{6}$/.test(text);
}

type ItemAct = { kind: "change"; change: Omit<QueueChange, "item"> } | { kind: "remove" };

/** Acts on a prompt of any queue, also of a linked machine's session, or on a scheduled one of this machine. */
export async function actOnPrompt(item: string, act: ItemAct, output: Output): Promise<object> {
  if (!isPromptId(item))
    throw usageError(`"${item}" is not a queued prompt's id, such as q-k3f9x2. See amux queue list.`);
  const { sessions, scheduled, problems = [] } = await allQueues();
  const owner = sessions.find(({ items }) => items.some(({ id }) => id === item));
  const whole: QueueAct = act.kind === "remove" ? { ...act, item } : { ...act, change: { ...act.change, item } };
  if (owner !== undefined) return answerOf(await actOnKnown(chooseSession(owner.session), whole, output), act, item);
  if (!scheduled.some(({ id }) => id === item)) {
    const there = await remoteOwner(item);
    if (there === undefined)
      throw new AgentMuxError(
        "SESSION_NOT_FOUND",
        [`No queue has a prompt ${item}. See amux queue list.`, ...problems].join(" "),
      );
    return answerOf(await throughDaemon(there, whole), act, item);
  }
  if (act.kind === "change") return askDaemon("PUT", "/v1/queues", { ...act.change, item });
  await askDaemon("DELETE", `/v1/queues?item=${item}`);
  return { id: item, removed: true };
}

/** The session of a linked machine whose queue has it. */
async function remoteOwner(item: string): Promise<string | undefined> {
  if (peerNames().length === 0) return undefined;
  const sessions = await askDaemon<MuxSession[]>("GET", "/v1/sessions");
  for (const { id, peer, queued, queue_held, unreachable } of sessions) {
    if (peer === undefined || unreachable === true || (queued ?? queue_held) === undefined) continue;
    if ((await throughDaemon(id, { kind: "list" })).items.some((prompt) => prompt.id === item)) return id;
  }
  return undefined;
}

function answerOf(queue: PromptQueueAnswer, act: ItemAct, item: string): object {
  return act.kind === "remove" ? { id: item, removed: true } : promptOf(queue, item);
}

export function promptOf({ session, items }: PromptQueueAnswer, item?: string): { session: string; id: string } {
  const prompt = item === undefined ? items.at(-1) : items.find(({ id }) => id === item);
  return { session, ...prompt! };
}
