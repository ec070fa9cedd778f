/**
 * Forks at a message: a further transcript beside the session's own, as `/branch` makes one inside the program. Its records are
 * the session's under another session id, each with a pointer to what it is a copy of.
 */
import { dirname, join } from "node:path";
import type { ForkAt } from "../adapter.ts";
import { branchedRecord } from "./format.ts";
import type { Transcript } from "./transcript.ts";

export const forkAt: ForkAt = {
  // Not imported: whoever only reads sessions has no use for what takes longer to load than most else.
  newId: () => crypto.randomUUID(),
  place: ({ path }, { id }) => join(dirname(path), `${id}.jsonl`),
  open: ({ id }) => ["claude", "--resume", id],
};

export function* copyUpTo(transcript: Transcript, last: number, from: string, to: string): Generator<string> {
  for (const record of transcript.recordsUpTo(last)) {
    yield `${JSON.stringify(branchedRecord(record, from, to))}\n`;
  }
}
