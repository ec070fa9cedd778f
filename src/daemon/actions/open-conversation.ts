/** Resumes or forks a conversation by its name in the agent's store, with or without a row. */
import { removeForkCopy } from "../../agents/fork-copy.ts";
import type { SessionReference } from "../../core/diff.ts";
import { optional } from "../../lib/values/optional.ts";
import type { Started } from "../../protocol/daemon-api.ts";
import type { Conversations } from "../files/conversations.ts";
import type { FoundConversation } from "../files/found-conversation.ts";
import { Problem } from "../problem.ts";
import type { SessionStore } from "../store/store.ts";
import type { ForkCopies } from "./fork-copies.ts";
import type { Launcher } from "./launcher.ts";
import type { SessionReviver } from "./session-reviver.ts";

export interface ConversationOpenerParts {
  store: SessionStore;
  conversations: Pick<Conversations, "get">;
  resumes: Pick<SessionReviver, "resume">;
  launcher: Pick<Launcher, "start" | "prepareResume">;
  copies: Pick<ForkCopies, "make">;
}

export interface OpenOptions {
  /** Replaces the conversation's own directory. */
  cwd?: string;
  /** Where a fork continues. */
  message?: number;
}

export class ConversationOpener {
  readonly #parts: ConversationOpenerParts;

  constructor(parts: ConversationOpenerParts) {
    this.#parts = parts;
  }

  /** The session of the conversation, revived if ended; a new one if there is none. */
  async resume({ agent, sessionId }: SessionReference, { cwd, message }: OpenOptions): Promise<Started> {
    if (message !== undefined) throw new Problem("bad_request", "Only a fork can begin at a message.");
    const { store, resumes, launcher } = this.#parts;
    const known = store.withKey(agent, sessionId);
    if (known !== undefined && (cwd === undefined || store.record(known)?.alive === true)) return resumes.resume(known);
    const found = this.#found(agent, sessionId);
    if (found.resumeCommand === undefined) throw new Problem("not_resumable", `${agent} cannot resume it.`);
    return launcher.start({
      command: found.resumeCommand,
      kind: agent,
      cwd: placeOf(found, cwd),
      resume_key: sessionId,
      ...(found.title === "" ? {} : { adapter_title: found.title }),
    });
  }

  /** A new session on a copy, complete or up to a message; the original is unchanged. */
  async fork({ agent, sessionId }: SessionReference, { cwd, message }: OpenOptions): Promise<Started> {
    const found = this.#found(agent, sessionId);
    const place = placeOf(found, cwd);
    const { launcher, copies } = this.#parts;
    if (message === undefined && found.forkCommand !== undefined) {
      await launcher.prepareResume(agent, sessionId);
      return launcher.start({ command: found.forkCommand, kind: agent, cwd: place });
    }
    const copy = await copies.make({ agent, sessionId }, place, message);
    const { command, lastMessage } = copy;
    try {
      const session = { command, kind: agent, cwd: place, ...optional("resume_key", copy.sessionId) };
      return { ...(await launcher.start(session)), last_message: lastMessage };
    } catch (error) {
      removeForkCopy(copy);
      throw error;
    }
  }

  #found(agent: string, sessionId: string): FoundConversation {
    const found = this.#parts.conversations.get(agent, sessionId);
    if (found === undefined) throw new Problem("not_found", `There is no conversation ${agent}:${sessionId}.`);
    return found;
  }
}

function placeOf({ cwd }: FoundConversation, wanted: string | undefined): string {
  const place = wanted ?? cwd;
  if (place === undefined) throw new Problem("cwd_gone", "The directory of the conversation is unknown. Give one.");
  return place;
}
