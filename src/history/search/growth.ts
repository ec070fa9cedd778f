/** Resumes reading a session whose own file has grown. */
import { closeSync } from "node:fs";
import type { GrownReader, GrowthPoint, SessionReader, SessionSource } from "../../agents/adapter.ts";
import { readAt } from "../../lib/json/jsonl.ts";
import type { Catalog } from "../catalog.ts";
import { openForReading } from "../../lib/fs/foreign-file.ts";

/** The state needed to resume reading a session. */
export interface Resume {
  point: GrowthPoint;
  /** Positions before the growth point and in sub-agents' messages, without the title's. */
  length: number;
  /** Number of the passage with the growth point, and its length before the point. */
  passage: number;
  passageLength: number;
  /** The next free passage number. */
  nextPassage: number;
  /** The rows after the growth point; they are rewritten on resume. */
  rows: [first: number, last: number];
  /** How often reading was resumed. */
  growths: number;
  /** Hash of the bytes right before the growth point. */
  check: string;
}

/** Shorter files are read in full. */
const WORTH_BYTES = 64 * 1024;
const CHECKED_BYTES = 4096;

/** The state of a document at a growth point. */
export type TextState = Pick<Resume, "length" | "passage" | "passageLength" | "nextPassage" | "rows">;

/** The growth point, if resuming there is worthwhile. */
export function growthPointOf(reader: Pick<SessionReader, "growthPoint">): GrowthPoint | undefined {
  const point = reader.growthPoint?.();
  return point && point.offset >= WORTH_BYTES ? point : undefined;
}

export function resumeOf(
  source: SessionSource,
  point: GrowthPoint | undefined,
  state: TextState | undefined,
  growths = 0,
): Resume | undefined {
  const check = point && state && bytesBefore(source, point.offset);
  return check === undefined ? undefined : { point: point!, ...state!, growths, check };
}

/** The rest of a session that was indexed before. Undefined if it must be read from the start. */
export function readOn(
  catalog: Catalog,
  source: SessionSource,
  signature: string,
  { point, check }: Resume,
): GrownReader | undefined {
  const { history } = catalog.adapter;
  if (!history?.indexed || !hasGrown(signature, source) || bytesBefore(source, point.offset) !== check)
    return undefined;
  try {
    return history.indexed.readOn(source, point, catalog.notes);
  } catch {
    // The full reader reports what is wrong.
    return undefined;
  }
}

/** Whether its own file, the first one, has grown and all others are unchanged. */
function hasGrown(signature: string, { files }: SessionSource): boolean {
  const before = signature.split(" ").map((stamp) => stamp.split(":"));
  return (
    before.length === files.length &&
    files.every(({ size, mtimeMs, ino = 0 }, index) => {
      const [knownIno, knownSize, knownTime] = before[index]!;
      if (ino === 0 || knownIno !== ino.toString(36)) return false;
      return index === 0 ? size >= Number(knownSize) : size === Number(knownSize) && mtimeMs === Number(knownTime);
    })
  );
}

function bytesBefore({ files }: SessionSource, offset: number): string | undefined {
  const start = Math.max(0, offset - CHECKED_BYTES);
  try {
    const fd = openForReading(files[0]!.path);
    try {
      const { createHash } = process.getBuiltinModule("node:crypto");
      return createHash("sha256")
        .update(readAt(fd, start, offset - start))
        .digest("base64");
    } finally {
      closeSync(fd);
    }
  } catch {
    // Gone or unreadable: the full reader reports it.
    return undefined;
  }
}
