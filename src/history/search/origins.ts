/** Conversations that begin in other sessions' files: a fork that points at its parent instead of copying it. */
import type { SessionSource } from "../../agents/adapter.ts";
import { parseRecord, readLines } from "../../lib/json/jsonl.ts";
import type { Catalog } from "../catalog.ts";

/** All sessions in whose files this one's conversation begins, as far as they are to be found. */
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

/** The session a file's first line names as its origin; undefined when that is not to be found. */
export function originNamedIn(catalog: Catalog, line: Buffer): SessionSource | undefined {
  const header = parseRecord(line);
  const id = header && catalog.adapter.history!.bytes!.origin!.sessionId(header);
  return id === undefined ? undefined : catalog.source(id);
}

function firstLine(path: string): Buffer | undefined {
  try {
    for (const line of readLines(path)) return Buffer.from(line.bytes);
  } catch {
    // Whoever reads the session tells of it.
  }
  return undefined;
}
