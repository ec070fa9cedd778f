/** This machine's sessions in the archive's form, read one at a time. */
import { createHash } from "node:crypto";
import type { SessionHead } from "../agents/adapter.ts";
import { AgentMuxError } from "../core/errors.ts";
import { joinUnifiedId } from "../core/unified-id.ts";
import { withForeignFacts } from "../history/cost/account.ts";
import type { CatalogEntry } from "../history/catalog-entry.ts";
import type { Catalog } from "../history/catalog.ts";
import type { ArchivedSession } from "./archived-session.ts";

export interface LocalSession {
  agent: string;
  sessionId: string;
  unifiedId: string;
  title: string;
  createdMs: number;
  updatedMs: number;
  cwd: string | undefined;
  /** Changes whenever the content to send may have changed. */
  signature: string;
  /** Throws if unreadable. Undefined if it has no conversation. */
  read(): Promise<ArchivedSession | undefined>;
}

/** Lists everything before reading: titles and parents need all heads. */
export async function localSessions(catalog: Catalog): Promise<LocalSession[]> {
  const entries = await catalog.entries();
  await catalog.resolveForks(entries.keys());
  const agent = catalog.adapter.name;
  return Array.from(entries, ([sessionId, entry]) => {
    const head = keptOf(entry.head);
    return {
      agent,
      sessionId,
      unifiedId: joinUnifiedId(agent, sessionId),
      title: head.title,
      createdMs: head.createdMs ?? head.updatedMs ?? entry.source.updatedMs,
      updatedMs: head.updatedMs ?? entry.source.updatedMs,
      cwd: head.cwd,
      signature: createHash("sha256")
        .update(`${catalog.signature(sessionId)}\0${JSON.stringify(head)}`)
        .digest("hex"),
      read: () => readSession(catalog, sessionId, entry, head),
    };
  });
}

async function readSession(
  catalog: Catalog,
  sessionId: string,
  entry: CatalogEntry,
  head: SessionHead,
): Promise<ArchivedSession | undefined> {
  const { adapter, env, notes } = catalog;
  const { source } = entry;
  const tally = (await catalog.readAll([sessionId])).get(sessionId);
  if (tally === null) return undefined;
  if (tally === undefined) {
    const reason = notes.skipped.findLast(({ path }) => path === source.path)?.reason ?? "it cannot be read";
    throw new AgentMuxError("PARSE_ERROR", reason);
  }
  const reader = adapter.history!.read(source, env, notes);
  if (!reader) return undefined;
  const { messageCount, turnCount, usage, reportedTotals } = tally;
  return {
    agent: adapter.name,
    sessionId,
    sourceMs: source.updatedMs,
    head,
    wholeHead: keptOf(withForeignFacts(tally.head, entry)),
    messageCount,
    turnCount,
    usage,
    ...(reportedTotals ? { reportedTotals } : {}),
    messages: [...reader.messages()],
    subagents: reader.subagents?.() ?? [],
  };
}

/** Drops fields that matter only among one machine's files. */
function keptOf({ titleKeys: _, titlesForOthers: __, volatile: ___, ...head }: SessionHead): SessionHead {
  return head;
}
