/** Sessions whose own file has grown, and is read from where it was left off. */
import { closeSync } from "node:fs";
import type { GrownReader, GrowthPoint, SessionReader, SessionSource } from "../../agents/adapter.ts";
import { readAt } from "../../lib/json/jsonl.ts";
import type { Catalog } from "../catalog.ts";
import { openForReading } from "../../lib/fs/foreign-file.ts";

/** What is kept of a session to go on reading it. */
export interface Resume {
  point: GrowthPoint;
  /** Positions in the messages before the point and in those of helpers, without the title's. */
  length: number;
  /** Number of the passage that the point lies in, and characters before the point in it. */
  passage: number;
  passageLength: number;
  /** The first number that no passage has. */
  nextPassage: number;
  /** The rows of all behind the point: they are written anew when it is read on. */
  rows: [first: number, last: number];
  /** How often it was read on. */
  growths: number;
  /** Of the bytes right before the point. */
  check: string;
}

/** A shorter file is read as a whole. */
const WORTH_BYTES = 64 * 1024;
const CHECKED_BYTES = 4096;

/** How far a document had got at such a point. */
export type TextState = Pick<Resume, "length" | "passage" | "passageLength" | "nextPassage" | "rows">;

/** The point at which it is worth to go on. */
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

/** The rest of a session that was known as its files were then. Undefined when it has to be read from its beginning. */
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
    // Whoever reads it from the beginning tells what is wrong with it.
    return undefined;
  }
}

/** Whether its own file, the first, is longer than it was, and all others are the same. */
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
    // Gone, or not to be read: whoever reads it tells.
    return undefined;
  }
}
