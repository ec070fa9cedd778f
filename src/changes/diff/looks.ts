/** Which hunks the user has looked at, per session, under amux's home. */
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { makeDirectory } from "../../lib/fs/make-directory.ts";
import { amuxHome, type PathEnv } from "../../lib/fs/paths.ts";
import { asObject, asText } from "../../lib/json/fields.ts";
import { objectIn } from "../../lib/json/json-file.ts";
import { sha256 } from "../../lib/values/sha256.ts";

export interface Look {
  at: string;
  /** Ids of hunks by path. */
  files: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A thousand reviews; the oldest are forgotten. */
const MAX_LOOKS = 1000;
/** Of one session; those looked at longest ago are forgotten. */
const MAX_HUNKS = 20_000;

export function lastLook(env: PathEnv, key: string): Look | undefined {
  const stored = objectIn(fileOf(env, key));
  const at = asText(stored?.["at"]);
  if (stored === undefined || at === undefined) return undefined;
  const files = Object.entries(asObject(stored["files"]) ?? {}).map(([path, ids]): [string, Set<string>] => [
    path,
    new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : []),
  ]);
  return { at, files: new Map(files) };
}

/** Adds to what was looked at before: with `sinceLook` only new hunks are shown. */
export function recordLook(
  env: PathEnv,
  key: string,
  seen: readonly { path: string; hunks: readonly string[] }[],
  now = new Date(),
): void {
  const files = new Map(lastLook(env, key)?.files ?? []);
  for (const { path, hunks } of seen) {
    const shown = new Set(hunks);
    const before = [...(files.get(path) ?? [])].filter((id) => !shown.has(id));
    // The newest are last.
    files.delete(path);
    files.set(path, new Set([...before, ...shown]));
  }
  makeDirectory(directoryOf(env));
  const stored = { session: key, at: now.toISOString(), files: Object.fromEntries(newestOf(files)) };
  writeFileAtomic(fileOf(env, key), JSON.stringify(stored));
  forgetOldest(directoryOf(env));
}

function newestOf(files: Look["files"]): [path: string, ids: string[]][] {
  let room = MAX_HUNKS;
  const kept: [string, string[]][] = [];
  for (const [path, ids] of [...files].toReversed()) {
    if (room <= 0) break;
    kept.push([path, [...ids].slice(-room)]);
    room -= Math.max(1, ids.size);
  }
  return kept.toReversed();
}

function forgetOldest(directory: string): void {
  const names = readdirSync(directory).filter((name) => name.endsWith(".json"));
  if (names.length <= MAX_LOOKS) return;
  const byAge = names.map((name) => ({ path: join(directory, name), atMs: ageOf(join(directory, name)) }));
  byAge.sort((a, b) => a.atMs - b.atMs);
  for (const { path } of byAge.slice(0, names.length - MAX_LOOKS)) rmSync(path, { force: true });
}

function ageOf(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch (error) {
    // Another process removed it.
    if (codeOf(error) === "ENOENT") return 0;
    throw error;
  }
}

function directoryOf(env: PathEnv): string {
  return join(amuxHome(env), "looks");
}

/** Ids of sessions can be anything. */
function fileOf(env: PathEnv, key: string): string {
  return join(directoryOf(env), `${sha256(key).slice(0, 32)}.json`);
}
