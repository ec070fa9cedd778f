/** Session-level facts and the bill of a replayed chat. */
import { createHash } from "node:crypto";
import { titleFrom } from "../../lib/text.ts";
import type { SessionHead, UsageRecord } from "../adapter.ts";
import type { Conversation, Row } from "./conversation.ts";
import type { GeminiLocator } from "./discover.ts";

/** Undefined when there is no conversation: a stub that a resume left, a start without a prompt. */
export function headOf(conversation: Conversation<unknown>, locator: GeminiLocator): SessionHead | undefined {
  if (!conversation.hasConversation) return undefined;
  const { header, rows, importedMs } = conversation;
  const isSubagent = locator.parentId !== undefined || header.kind === "subagent";
  const prompt = conversation.view().find(isPrompt) ?? rows.find(isPrompt);
  // A sub-agent's summary is the JSON of its result.
  const summary = isSubagent ? undefined : header.summary;
  const head: SessionHead = { title: titleFrom(summary ?? prompt?.opening) };

  const createdMs = header.startMs ?? rows.find((row) => row.at !== undefined)?.at;
  if (createdMs !== undefined) head.createdMs = createdMs;
  const updatedMs = header.lastMs ?? createdMs;
  if (updatedMs !== undefined) head.updatedMs = updatedMs;
  const startedMs = importedMs ?? header.startMs;
  if (startedMs !== undefined) head.startedMs = startedMs;
  const model = mostUsedModel(rows);
  if (model !== undefined) head.model = model;
  const cwd = locator.cwd ?? projectDirectory(header.directories, header.projectHash);
  if (cwd !== undefined) head.cwd = cwd;
  if (locator.parentId !== undefined) head.parentId = locator.parentId;
  // An import keeps the ids of what it copies.
  const firstId = rows.find((row) => row.kind !== "hidden")?.id;
  if (firstId !== undefined && locator.saved === undefined) head.familyKeys = [firstId];
  if (!rows.some((row) => row.tokens !== undefined)) head.usageUnknown = true;
  return head;
}

function isPrompt(row: Row<unknown>): boolean {
  return row.kind === "prompt";
}

/** The list also has directories added during the session. */
function projectDirectory(directories: readonly string[], projectHash: string | undefined): string | undefined {
  return directories.find((path) => createHash("sha256").update(path).digest("hex") === projectHash);
}

function mostUsedModel(rows: readonly Row<unknown>[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { model } of rows) {
    if (model === undefined) continue;
    const count = (counts.get(model) ?? 0) + 1;
    // Deleted first, so that among equals the latest used stands last.
    counts.delete(model);
    counts.set(model, count);
  }
  let best: string | undefined;
  let most = 0;
  for (const [model, count] of counts) if (count >= most) [best, most] = [model, count];
  return best;
}

/**
 * One record for each reply ever recorded, rewound and cancelled ones included. A session can lie in several files;
 * a later one's count replaces an earlier one's.
 */
export function usageOf(conversations: readonly Conversation<unknown>[]): UsageRecord[] {
  const byId = new Map<string, UsageRecord>();
  for (const { rows, importedMs } of conversations) {
    for (const { id, at, model, tokens } of rows) {
      if (tokens === undefined) continue;
      const record: UsageRecord = { key: id, tokens };
      if (at !== undefined) record.at = at;
      if (model !== undefined) record.model = model;
      if (importedMs !== undefined && at !== undefined && at < importedMs) record.copied = true;
      byId.set(id, record);
    }
  }
  return [...byId.values()];
}
