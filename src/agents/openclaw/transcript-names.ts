/**
 * Parses transcript file names. Only the name distinguishes a session from a copy: checkpoints and trajectories also
 * end in `.jsonl`, and a checkpoint has the session's own header.
 */
export interface TranscriptName {
  /** The session id in the name. */
  id: string;
  /** Distinguishes files with the same id. */
  distinctId: string;
  archived?: "reset" | "deleted" | "imported";
  /** The whole file is zstd-compressed. */
  compressed: boolean;
}

/** `2026-11-15T02-07-53.296Z`: an ISO time that is valid in a file name. */
const STAMP = String.raw`\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:[.-]\d{3})?Z`;
const ARCHIVE = new RegExp(String.raw`^(.+)\.jsonl\.(reset|deleted)\.(${STAMP}|\d+)(\.[0-9A-Za-z-]+)?$`);
/** `<session key with _>.<id>.jsonl.imported-<ms>`. Ids chosen by a user, and their keys, may contain dots. */
const IMPORTED = /^(?:.+\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|[^.]+\.(.+))\.jsonl\.imported-\d+$/;
const CHECKPOINT = /\.checkpoint\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl$/i;
/** A compaction that truncates the transcript continues in a new file with a Pi file name. */
const SUCCESSOR = new RegExp(`^${STAMP}_(.+)$`);
const THREAD = /^(.+)-topic-.+$/;

/** Undefined for other files: the index, locks, backups, checkpoints, trajectories. */
export function parseTranscriptName(name: string): TranscriptName | undefined {
  const compressed = name.endsWith(".zst");
  const plain = compressed ? name.slice(0, -".zst".length) : name;

  const archive = ARCHIVE.exec(plain);
  if (archive !== null) {
    const [, stem, reason, stamp] = archive as unknown as [string, string, "reset" | "deleted", string];
    return { id: idOf(stem), distinctId: `${stem}.${reason}.${stamp}`, archived: reason, compressed };
  }
  const imported = IMPORTED.exec(plain);
  if (imported !== null) {
    const stem = (imported[1] ?? imported[2])!;
    return { id: idOf(stem), distinctId: stem, archived: "imported", compressed };
  }
  if (!plain.endsWith(".jsonl") || plain.endsWith(".trajectory.jsonl") || CHECKPOINT.test(plain)) return undefined;
  const stem = plain.slice(0, -".jsonl".length);
  return { id: idOf(stem), distinctId: stem, compressed };
}

function idOf(stem: string): string {
  return SUCCESSOR.exec(stem)?.[1] ?? THREAD.exec(stem)?.[1] ?? stem;
}
