/**
 * Forks at a message into a new session directory, as `/fork` does. Events keep their ids; the first one gets the new
 * session's id, and a note at the end names the parent.
 */
import { join } from "node:path";
import type { Json } from "../../lib/json/fields.ts";
import { parseRecord, readLines } from "../../lib/json/jsonl.ts";
import type { ForkAt } from "../adapter.ts";
import type { EventsFile } from "./events-file.ts";
import { endsMessage, eventOfFork, forkEvent, idOf } from "./format.ts";
import { sessionStateDir } from "./locations.ts";

export const forkAt: ForkAt = {
  // Imported lazily: it loads slowly, and reading sessions does not need it.
  newId: () => crypto.randomUUID(),
  place: (_source, { id }, env) => join(sessionStateDir(env), id, "events.jsonl"),
  open: ({ id }) => ["copilot", `--resume=${id}`],
};

interface Names {
  from: string;
  to: string;
  title: string;
  at: Date;
}

export function* copyUpTo({ path, entries }: EventsFile, last: number, names: Names): Generator<string> {
  const end = entries[Math.min(last, entries.length - 1)]!.offset;
  let parentId: string | null = null;
  for (const { bytes, offset } of readLines(path)) {
    if (offset > end && !endsMessage(bytes)) break;
    const event = parseRecord(bytes);
    if (event === undefined) continue;
    yield line(eventOfFork(event, names.to, names.at));
    parentId = idOf(event) ?? parentId;
  }
  const title = names.title.replaceAll(/\s+/g, " ");
  yield line(forkEvent(`Forked from "${title}" (${names.from}) as "${title}" (${names.to}).`, names.at, parentId));
}

function line(event: Json): string {
  return `${JSON.stringify(event)}\n`;
}
