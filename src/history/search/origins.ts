/** Origins: sessions whose files a conversation begins in. Such a fork refers to its parent instead of copying it. */
import type { SessionSource } from "../../agents/adapter.ts";
import { parseRecord, readLines } from "../../lib/json/jsonl.ts";
import type { Catalog } from "../catalog.ts";

/** All sessions whose files this conversation begins in, if they exist. */
export function originsOf(catalog: Catalog, source: SessionSource): SessionSource[] {
  const { bytes } = catalog.adapter.history!;
  if (bytes?.origin === undefined) return [];
  const mark = Buffer.from(bytes.origin.mark);
  const chain = new Set([source]);
  for (const link of chain) {
    for (const path of bytes.files(link) ?? []) {
      const line = firstLine(path);
      const origin = line?.includes(mark) ? originNamedIn(catalog, line) : undefined;
      if (origin) chain.add(origin);
    }
  }
  chain.delete(source);
  return [...chain];
}

/** The session that a file's first line names as its origin; undefined if it does not exist. */
export function originNamedIn(catalog: Catalog, line: Buffer): SessionSource | undefined {
  const header = parseRecord(line);
  const id = header && catalog.adapter.history!.bytes!.origin!.sessionId(header);
  return id === undefined ? undefined : catalog.source(id);
}

function firstLine(path: string): Buffer | undefined {
  try {
    for (const line of readLines(path)) return Buffer.from(line.bytes);
  } catch {
    // The session's reader reports it.
  }
  return undefined;
}
