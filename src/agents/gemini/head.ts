/** Session-level facts and the bill of a replayed chat. */
import { optional } from "../../lib/values/optional.ts";
import { sha256 } from "../../lib/values/sha256.ts";
import type { SessionHead, UsageRecord } from "../adapter.ts";
import { sessionTitle } from "../session-title.ts";
import { mostUsed } from "../shared/model-uses.ts";
import type { Replay, Row } from "./replay.ts";
import type { GeminiLocator } from "./discover.ts";

/** Undefined if there is no conversation: a stub left by a resume, or a start without a prompt. */
export function headOf(replay: Replay<unknown>, locator: GeminiLocator): SessionHead | undefined {
  if (!replay.hasConversation) return undefined;
  const { header, rows, importedMs } = replay;
  const isSubagent = locator.parentId !== undefined || header.kind === "subagent";
  const prompt = replay.view().find(isPrompt) ?? rows.find(isPrompt);
  // A sub-agent's summary is the JSON of its result.
  const summary = isSubagent ? undefined : header.summary;
  const createdMs = header.startMs ?? rows.find((row) => row.at !== undefined)?.at;
  // An import keeps the ids of what it copies.
  const firstId = locator.saved === undefined ? rows.find((row) => row.kind !== "hidden")?.id : undefined;
  return {
    title: sessionTitle(summary, prompt?.opening),
    ...optional("createdMs", createdMs),
    ...optional("updatedMs", header.lastMs ?? createdMs),
    ...optional("startedMs", importedMs ?? header.startMs),
    ...optional("model", mostUsed(rows.map((row) => row.model))),
    ...optional("cwd", locator.cwd ?? projectDirectory(header.directories, header.projectHash)),
    ...optional("parentId", locator.parentId),
    ...(firstId === undefined ? {} : { familyKeys: [firstId] }),
    ...(rows.some((row) => row.tokens !== undefined) ? {} : { usageUnknown: true }),
  };
}

function isPrompt(row: Row<unknown>): boolean {
  return row.kind === "prompt";
}

/** The list also has directories added during the session. */
function projectDirectory(directories: readonly string[], projectHash: string | undefined): string | undefined {
  return directories.find((path) => sha256(path) === projectHash);
}

/**
 * One record per reply ever recorded, including rewound and cancelled ones. A session can have several files; a later count
 * replaces an earlier one.
 */
export function usageOf(replays: readonly Replay<unknown>[]): UsageRecord[] {
  const byId = new Map<string, UsageRecord>();
  for (const { rows, importedMs } of replays) {
    for (const { id, at, model, tokens } of rows) {
      if (tokens === undefined) continue;
      const copied = importedMs !== undefined && at !== undefined && at < importedMs;
      byId.set(id, {
        key: id,
        tokens,
        ...optional("at", at),
        ...optional("model", model),
        ...(copied ? { copied } : {}),
      });
    }
  }
  return [...byId.values()];
}
