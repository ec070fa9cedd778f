/** What a session is billed for, from those records alone that bill something. */
import { asText } from "../../lib/fields.ts";
import { linesWith } from "../../lib/lines-with.ts";
import { parseRecord } from "../../lib/jsonl.ts";
import type { AgentEnv, BilledSession, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { Bill, BILLING_NEEDLES, settle } from "./bill.ts";
import type { ClaudeLocator } from "./discover.ts";
import { isChain, isUnread, kindOf, timeOf } from "./record.ts";

/** What decides whose a request is comes first in a transcript; after that only replies are looked at. */
export function bill(source: SessionSource, _env: AgentEnv, notes: ReadNotes): BilledSession | undefined {
  const found = new Bill(source.sessionId);
  let startedMs: number | undefined;
  let firstMs: number | undefined;
  let hasConversation = false;
  try {
    for (const { bytes } of linesWith(source.path, BILLING_NEEDLES, () => firstMs === undefined)) {
      const record = isUnread(bytes) ? undefined : parseRecord(bytes);
      if (record === undefined) continue;
      const type = asText(record["type"]);
      if (firstMs === undefined && isSpaced(bytes)) return undefined;
      if (isChain(type)) firstMs ??= timeOf(record);
      else if (type === "queue-operation" && firstMs === undefined) startedMs ??= timeOf(record);
      hasConversation ||= isChain(type) && record["isSidechain"] !== true && kindOf(record) !== "context";
      found.see(record);
    }
  } catch {
    // Whoever counts it tells why it cannot be read.
    return undefined;
  }
  if (firstMs === undefined || !hasConversation || found.documented.length > 0) return undefined;
  for (const path of (source.locator as ClaudeLocator).subagents) found.addSubagentFile(path, notes);
  const { usage, reportedTotals } = settle(found, startedMs);
  return {
    head: { title: "", createdMs: startedMs ?? firstMs, ...(startedMs === undefined ? {} : { startedMs }) },
    usage: [...usage],
    placed: true,
    ...(reportedTotals.length > 0 ? { reportedTotals } : {}),
  };
}

/** Written by somebody else, with blanks between keys and values, which the needles do not have. */
function isSpaced(line: Buffer): boolean {
  return line.includes('": ', 0, "latin1") || line.includes('" :', 0, "latin1");
}
