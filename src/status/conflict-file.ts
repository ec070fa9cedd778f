/**
 * Sessions that edit the same file: `edit-conflicts.json` in amux's home. The daemon writes it; lists read it, which have no time
 * to read transcripts. An entry holds while both sessions run and their edits are recent.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { CONFLICT_LEVELS, CONFLICT_WINDOW_MS, type EditConflict } from "../core/edit-conflict.ts";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { readText } from "../lib/fs/foreign-file.ts";
import { ensurePrivateDirectory } from "../lib/fs/private-directory.ts";
import { asArray, asNumber, asObjects, asText, asTime } from "../lib/json/fields.ts";
import { oneLine, truncate } from "../lib/text/text.ts";
import { parseObject } from "../lib/json/json.ts";

const FILE = "edit-conflicts.json";
const MAX_CONFLICTS = 1000;
const MAX_NAME = 200;

export function writeConflicts(home: string, conflicts: readonly EditConflict[]): void {
  const path = join(home, FILE);
  if (conflicts.length === 0) return rmSync(path, { force: true });
  ensurePrivateDirectory(home);
  writeFileAtomic(path, `${JSON.stringify({ conflicts: conflicts.slice(0, MAX_CONFLICTS) })}\n`);
}

/** Those of running sessions. A damaged file is as good as none: the daemon writes it anew. */
export function readConflicts(home: string, isRunning: (id: string) => boolean, now: number): EditConflict[] {
  let text: string;
  try {
    text = readText(join(home, FILE));
  } catch {
    return []; // No two sessions edit the same file, or no daemon runs.
  }
  return asObjects(parseObject(text)?.["conflicts"]).flatMap((fields): EditConflict[] => {
    const [id, count] = [asText(fields["id"]), asNumber(fields["count"])];
    const [since, latest] = [asTime(fields["since"]), asTime(fields["latest"])];
    const [first, second] = (asArray(fields["sessions"]) ?? []).map(asText);
    const level = CONFLICT_LEVELS.find((known) => known === fields["level"]);
    if (id === undefined || count === undefined || since === undefined || latest === undefined) return [];
    if (first === undefined || second === undefined || level === undefined) return [];
    if (latest < now - CONFLICT_WINDOW_MS || !isRunning(first) || !isRunning(second)) return [];
    const files = (asArray(fields["files"]) ?? []).flatMap((name) => asText(name) ?? []);
    return [{ id, sessions: [first, second], level, files, count, since, latest }];
  });
}

/** "Both edit the same lines of src/a.ts and 2 more files." */
export function conflictText({ level, files, count }: EditConflict): string {
  const more = count - files.length;
  const shown = files.map((name) => truncate(oneLine(name), MAX_NAME)).join(", ");
  const names = `${shown}${more > 0 ? ` and ${more} more` : ""}`;
  if (level === "merge") return `Both edit ${names}, in two worktrees: it may conflict on merge.`;
  return level === "lines" ? `Both edit the same lines of ${names}.` : `Both edit ${names}.`;
}

/** With which other sessions each one conflicts. */
export function conflictsOf(
  conflicts: readonly EditConflict[],
  id: string,
): { other: string; conflict: EditConflict }[] {
  return conflicts.flatMap((conflict) => {
    const [a, b] = conflict.sessions;
    return a === id ? [{ other: b, conflict }] : b === id ? [{ other: a, conflict }] : [];
  });
}
