/** Sessions from all databases and, if no database has them, from older files. */
import { AgentMuxError } from "../../../core/errors.ts";
import { fileStat } from "../../../lib/fs/directory.ts";
import type { ReadOnlyDatabase } from "../../../lib/sqlite/sqlite.ts";
import { errorText } from "../../../lib/text/error-text.ts";
import type { AgentEnv, History, SessionHead, SessionReader, SessionSource } from "../../adapter.ts";
import { readerOf } from "../../in-memory.ts";
import type { ReadNotes } from "../../read-notes.ts";
import { databaseSources, lastChange } from "../source-list.ts";
import { listDatabase, readFromDatabase } from "./database.ts";
import { readDocumented } from "./format-documented.ts";
import type { ListedRow } from "./head.ts";
import { copyUpTo } from "./fork-at.ts";
import { readTree, summarizeTree, treeFiles, type TreeSession, treeSessions } from "./json-tree.ts";
import { databasePaths, dataDir, dataDirs, roots } from "./locations.ts";
import type { Product } from "./product.ts";
import { transcriptOf, usageOf } from "./transcript.ts";

type Locator =
  | { kind: "database" | "documented"; /** From the query that listed it. */ head: SessionHead }
  | { kind: "tree"; tree: TreeSession };

export function historyOf(product: Product): History {
  return {
    roots: (env) => roots(product, env),
    sessionDir: (env) => dataDir(product, env),
    listSessions: (env, notes) => listSessions(product, env, notes),
    summarize: (source, _env, notes) => {
      const locator = source.locator as Locator;
      return locator.kind === "tree" ? summarizeTree(locator.tree, notes) : locator.head;
    },
    read: (source, _env, notes) => readSession(product, source, notes),
  };
}

function listSessions(product: Product, env: AgentEnv, notes: ReadNotes): SessionSource[] {
  const sources = new Map<string, SessionSource>();
  for (const path of databasePaths(product, env, notes.onProblem)) {
    const stat = fileStat(path, notes.onProblem);
    const list = (database: ReadOnlyDatabase): ListedRow[] => listDatabase(database, notes);
    for (const source of stat ? databaseSources(stat, notes, list, locatorOf) : []) {
      // Databases of other channels and backups hold the same sessions; the most recent one counts.
      const earlier = sources.get(source.sessionId);
      if (earlier === undefined || earlier.updatedMs < source.updatedMs) sources.set(source.sessionId, source);
    }
  }
  for (const directory of dataDirs(product, env)) {
    for (const tree of treeSessions(directory, notes.onProblem)) {
      const stat = fileStat(tree.info, notes.onProblem);
      // Most were migrated to the database, and may have continued there.
      if (stat === undefined || sources.has(tree.id)) continue;
      const files = treeFiles(tree);
      const updatedMs = lastChange([stat, ...files]);
      sources.set(tree.id, { sessionId: tree.id, path: tree.info, files, updatedMs, locator: { kind: "tree", tree } });
    }
  }
  return [...sources.values()];
}

function locatorOf({ head, documented }: ListedRow): Locator {
  return { kind: documented === true ? "documented" : "database", head };
}

function readSession(product: Product, source: SessionSource, notes: ReadNotes): SessionReader | undefined {
  const locator = source.locator as Locator;
  try {
    if (locator.kind === "documented") {
      const parsed = readDocumented(source.path, source.sessionId, notes);
      return parsed && readerOf(parsed);
    }
    const found =
      locator.kind === "tree" ? readTree(locator.tree, notes) : readFromDatabase(source.path, source.sessionId, notes);
    if (found === undefined) return undefined;
    const { session, head, origin } = found;
    if (session.messages.length === 0) throw new Error("none of its messages can be parsed");
    const reader = readerOf({
      head,
      messages: transcriptOf(session, origin, notes),
      usage: usageOf(session, origin),
      raw: session.raw,
    });
    return { ...reader, copyUpTo: (last, copy) => copyUpTo(session, last, copy) };
  } catch (error) {
    throw new AgentMuxError(
      "PARSE_ERROR",
      `${product.displayName} session ${source.sessionId} in ${source.path} cannot be read: ${errorText(error)}.`,
      { cause: error },
    );
  }
}
