/** Rebuilds a message from its own lines, given their offsets. */
import type { SessionMessage } from "../../core/session.ts";
import type { SessionSource } from "../adapter.ts";
import type { RolloutFile } from "./rollout-files.ts";
import { entriesInBytes } from "./thread-stream.ts";
import { Transcript, type Placed } from "./transcript.ts";
import type { ThreadScan } from "./thread-scan.ts";

/** The thread's properties needed to parse a record alone, as bits. */
const OF_SUBAGENT = 1;
const INHERITED = 2;
const FROM_ITEMS = 4;

export function stateOf({ ofSubagent, inherited }: Placed, { prompts }: ThreadScan): number {
  return (ofSubagent ? OF_SUBAGENT : 0) | (inherited ? INHERITED : 0) | (prompts === "items" ? FROM_ITEMS : 0);
}

export function rebuild(
  source: SessionSource,
  file: Buffer,
  starts: readonly number[],
  end: number,
  state: number,
): SessionMessage[] {
  const { threadId } = (source.locator as { rollouts: RolloutFile[] }).rollouts[0]!;
  const prompts = (state & FROM_ITEMS) === 0 ? "events" : "items";
  const transcript = new Transcript({ prompts, countOnly: false });
  const [ofSubagent, inherited] = [(state & OF_SUBAGENT) !== 0, (state & INHERITED) !== 0];
  const placed: Placed[] = [];
  for (const entry of entriesInBytes(file.subarray(starts[0], end), threadId)) {
    entry.foreign &&= !inherited;
    entry.ofSubagent = ofSubagent;
    placed.push(...transcript.take(entry));
  }
  return [...placed, ...transcript.release()].map(({ message }) => message);
}
