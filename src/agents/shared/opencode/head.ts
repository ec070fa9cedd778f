/** Title, dates, model and directory of a session. */
import { asTime } from "../../../lib/json/fields.ts";
import { optional } from "../../../lib/values/optional.ts";
import type { SessionHead } from "../../adapter.ts";
import { sessionTitle } from "../../session-title.ts";
import { mostUsed } from "../model-uses.ts";
import type { ListedSession } from "../source-list.ts";
import { cwdOf, modelOf, roleOf } from "./format.ts";
import type { SessionInfo, StoredMessage } from "./stored-session.ts";
import { promptOf } from "./transcript.ts";

/** The tables that hold a listed session. */
export interface ListedRow extends ListedSession {
  /** In the documented tables, not in OpenCode's own. */
  documented?: boolean;
}

/** A session's placeholder title until OpenCode generates one. */
const DEFAULT_TITLE = /^(New|Child) session - \d{4}-\d\d-\d\dT[\d:.]+Z( \(fork #\d+\))?$/;

export function hasOwnTitle(info: SessionInfo): boolean {
  return info.title.trim() !== "" && !DEFAULT_TITLE.test(info.title);
}

export interface HeadFacts {
  info: SessionInfo;
  /** When the first message was written. */
  firstMs?: number;
  firstPrompt?: string;
  model?: string;
  /** For session records without it (before 1.0). */
  cwd?: string;
  forkedFrom?: string;
}

export function headOf({ info, firstPrompt, model, cwd, forkedFrom, ...facts }: HeadFacts): SessionHead {
  const firstMs = asTime(facts.firstMs);
  const createdMs = info.createdMs ?? firstMs;
  return {
    title: sessionTitle(hasOwnTitle(info) ? info.title : undefined, firstPrompt),
    ...(createdMs === undefined ? {} : { createdMs, startedMs: createdMs }),
    ...optional("updatedMs", info.updatedMs),
    ...optional("model", model),
    ...optional("cwd", info.directory ?? cwd),
    ...optional("agentVersion", info.version),
    ...(info.archived ? { archived: true } : {}),
    ...optional("forkedFrom", forkedFrom),
    ...optional("parentId", info.parentId),
    // A fork begins with copies that keep their times.
    ...(firstMs === undefined ? {} : { familyKeys: [String(firstMs)] }),
  };
}

/** Facts that are only in messages. */
export function messageFacts(
  messages: readonly StoredMessage[],
): Pick<HeadFacts, "firstMs" | "firstPrompt" | "model" | "cwd"> {
  const cwd = messages.map(cwdOf).find((path) => path !== undefined);
  const replies = messages.filter((message) => roleOf(message) === "assistant");
  return {
    ...optional("firstMs", messages[0]?.createdMs),
    ...optional("firstPrompt", firstPromptOf(messages)),
    ...optional("model", mostUsed(replies.map(modelOf))),
    ...optional("cwd", cwd),
  };
}

export function firstPromptOf(messages: readonly StoredMessage[]): string | undefined {
  for (const message of messages) {
    const prompt = promptOf(message);
    if (prompt !== undefined) return prompt;
  }
  return undefined;
}
