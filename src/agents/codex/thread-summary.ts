/** The head of a thread, from the start of its first file and the end of its last one. */
import type { AgentEnv, SessionHead } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { headerOf, KIND } from "./format.ts";
import type { PromptSource } from "./prompt-text.ts";
import { endsOf, recordsOf, type Ends } from "./rollout-reader.ts";
import type { RolloutFile } from "./rollout-files.ts";
import type { RolloutRecord } from "./rollout-record.ts";
import { piecesOf, type Piece } from "./thread-pieces.ts";
import { ThreadScan } from "./thread-scan.ts";
import { entriesOf, entriesOfFile } from "./thread-stream.ts";

/** In newer versions, instructions and tool descriptions before the first prompt take some hundred kilobytes. */
const FIRST_PROMPT_BYTES = 2 * 1024 * 1024;

/** Takes the thread's files in order. Undefined if all of them must be read. */
export function summaryOf(
  rollouts: readonly RolloutFile[],
  name: string | undefined,
  env: AgentEnv,
  notes: ReadNotes,
): SessionHead | undefined {
  const outer = rollouts.length > 1 ? [rollouts[0]!, rollouts.at(-1)!] : rollouts;
  const ends = outer.map((file) => endsOf(file, notes));
  const whole = outer.length === rollouts.length && ends.every((end) => end.whole);

  // A partial read bills nothing, and every third line is a count.
  if (!whole) for (const part of ends) for (const end of [part.head, part.tail]) leaveOutCounts(end);
  const pieces = name === undefined && isFork(ends[0]!) ? piecesOf(rollouts, env) : [];
  const inherited = pieces.filter((piece) => piece.inherited);
  let scan = scanEnds(inherited, outer, ends, "events");
  if (scan.needsItems) scan = scanEnds(inherited, outer, ends, "items");
  if (whole && !scan.facts.hasOwnPrompt) return undefined;
  if (!whole && scan.facts.hasCopies) return undefined;
  if (!scan.facts.hasOwnPrompt) takeFirstPrompt(outer[0]!, scan);
  return titledByParent(scan.facts.head(name, rollouts.at(-1)!.archived, whole), pieces, name);
}

/** A fork without a name has its parent's title, or will have it when the parent's file is back. */
export function titledByParent(head: SessionHead, pieces: readonly Piece[], name: string | undefined): SessionHead {
  const isFork = head.forkedFrom !== undefined && head.parentId === undefined;
  if (name !== undefined || !isFork) return head;
  if (pieces.some(({ lacksBase }) => lacksBase)) return { ...head, volatile: true };
  const files = pieces.filter(({ inherited }) => inherited).map(({ file }) => file.path);
  return files.length > 0 ? { ...head, volatile: files } : head;
}

/** The very last one is kept for its date. */
function leaveOutCounts(records: RolloutRecord[]): void {
  const last = records.at(-1);
  const kept = records.filter((record) => record.type !== KIND.tokenCount || record === last);
  records.splice(0, records.length, ...kept);
}

function isFork({ head: [first] }: Ends): boolean {
  const header = first?.type === KIND.header ? headerOf(first.payload) : undefined;
  return header?.isFork === true && !header.isSubagent;
}

function scanEnds(
  inherited: readonly Piece[],
  files: readonly RolloutFile[],
  ends: readonly Ends[],
  prompts: PromptSource,
): ThreadScan {
  const scan = new ThreadScan(prompts);
  for (const entry of entriesOf(inherited)) {
    if (scan.facts.hasPrompt || entry.offset > FIRST_PROMPT_BYTES) break;
    scan.takePrompt(entry);
  }
  for (const [index, file] of files.entries()) {
    const { head, tail } = ends[index]!;
    for (const entry of entriesOfFile(file, [...head, ...tail])) scan.take(entry);
  }
  scan.end();
  return scan;
}

function takeFirstPrompt(file: RolloutFile, scan: ThreadScan): void {
  const start = function* () {
    for (const { record, offset } of recordsOf(file)) {
      if (offset > FIRST_PROMPT_BYTES) return;
      yield record;
    }
  };
  for (const entry of entriesOfFile(file, start())) {
    scan.takePrompt(entry);
    if (scan.facts.hasOwnPrompt) return;
  }
}
