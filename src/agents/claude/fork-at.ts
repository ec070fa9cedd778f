/**
 * Forks at a message: a new transcript beside the session's own, as `/branch` writes it. Its records are copies under another
 * session id, each with a pointer to its original.
 */
import { dirname, join } from "node:path";
import type { ForkAt } from "../adapter.ts";
import { branchedRecord } from "./format.ts";
import type { Transcript } from "./transcript.ts";

export const forkAt: ForkAt = {
  // Loaded on demand: it is slow to load, and reading sessions does not need it.
  newId: () => crypto.randomUUID(),
  place: ({ path }, { id }) => join(dirname(path), `${id}.jsonl`),
  open: ({ id }) => ["claude", "--resume", id],
};

export function* copyUpTo(transcript: Transcript, last: number, from: string, to: string): Generator<string> {
  for (const record of transcript.recordsUpTo(last)) {
    yield `${JSON.stringify(branchedRecord(record, from, to))}\n`;
  }
}
