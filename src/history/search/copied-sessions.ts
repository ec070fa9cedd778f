/**
 * Sessions of an index that was copied together with the agents' files, as in a backup: the inodes differ. Files of the same size
 * and time are taken as unchanged and not read again.
 */
import { isCopied, isNoted, noteFile } from "../cache/copied.ts";
import type { IndexDatabase } from "../cache/database.ts";
import type { Catalog } from "../catalog.ts";
import { SearchIndex } from "./index-reader.ts";
import { isSameButNumbers } from "../cache/signature.ts";

export async function takeOverCopied(database: IndexDatabase, catalogs: readonly Catalog[]): Promise<void> {
  if (isNoted(database)) return;
  await database.transaction(() => {
    if (isCopied(database)) renumber(database, catalogs);
    noteFile(database);
  });
}

function renumber(database: IndexDatabase, catalogs: readonly Catalog[]): void {
  const index = new SearchIndex(database);
  for (const catalog of catalogs) {
    const agent = catalog.adapter.name;
    for (const source of catalog.sources()) {
      const known = index.find(agent, source.sessionId);
      if (known === undefined) continue;
      const signature = index.signatureNow(known, catalog, source);
      if (signature === known.signature || !isSameButNumbers(signature, known.signature)) continue;
      database.run(
        "UPDATE search_session SET signature = ? WHERE agent = ? AND session = ?",
        signature,
        agent,
        source.sessionId,
      );
    }
  }
}
