/** The user's labels of sessions: tags, stars, names. Stored in `session-labels.json` in amux's home, by unified id. */
import { dirname, join } from "node:path";
import { AgentMuxError } from "../core/errors.ts";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { codeOf, fileStat } from "../lib/fs/directory.ts";
import { readText } from "../lib/fs/foreign-file.ts";
import { amuxHome, type PathEnv } from "../lib/fs/paths.ts";
import { ensurePrivateDirectory } from "../lib/fs/private-directory.ts";
import { withLock } from "../lib/fs/with-lock.ts";
import { asArray, asObject, asText } from "../lib/json/fields.ts";
import { oneLine } from "../lib/text/text.ts";
import { optional } from "../lib/values/optional.ts";

export interface SessionLabel {
  tags: readonly string[];
  starred: boolean;
  /** Shown instead of the title. */
  name?: string;
}

export type SessionLabels = ReadonlyMap<string, SessionLabel>;

const PATIENCE_MS = 2000;

let kept: { path: string; stamp: string; labels: SessionLabels } | undefined;

export function readLabels(env: PathEnv): SessionLabels {
  const path = labelsFile(env);
  const stat = fileStat(path);
  if (stat === undefined) return new Map();
  const stamp = `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
  // Each change creates a new file, so the inode differs even within one clock tick.
  if (kept?.path === path && kept.stamp === stamp) return kept.labels;
  let labels: SessionLabels = new Map();
  try {
    labels = new Map(Object.entries(fieldsIn(path)).map(([id, value]) => [id, labelOf(value)]));
  } catch (error) {
    // A damaged file hides no session; the next change reports it.
    if (!(error instanceof AgentMuxError)) throw error;
  }
  kept = { path, stamp, labels };
  return labels;
}

/** An empty label is removed. */
export function changeLabel(
  env: PathEnv,
  unifiedId: string,
  change: (label: SessionLabel) => SessionLabel,
): SessionLabel {
  const path = labelsFile(env);
  ensurePrivateDirectory(dirname(path));
  const done = withLock(`${path}.lock`, PATIENCE_MS, () => {
    const all = new Map(Object.entries(fieldsIn(path)));
    const known = all.get(unifiedId);
    const label = change(labelOf(known));
    // Preserve fields of other versions.
    const { tags: _, starred: __, name: ___, ...others } = asObject(known) ?? {};
    const isEmpty = label.tags.length === 0 && !label.starred && label.name === undefined;
    if (isEmpty && Object.keys(others).length === 0) all.delete(unifiedId);
    else all.set(unifiedId, { ...others, ...label });
    writeFileAtomic(path, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
    return label;
  });
  if (done !== undefined) return done.result;
  throw new AgentMuxError("CONFIG_LOCK_ERROR", `Another process is writing ${path}; try again.`, { recoverable: true });
}

function labelsFile(env: PathEnv): string {
  return join(amuxHome(env), "session-labels.json");
}

/** A damaged file is an error: overwriting it would lose its contents. */
function fieldsIn(path: string): Record<string, unknown> {
  try {
    const fields = asObject(JSON.parse(readText(path)));
    if (fields === undefined) throw new Error("it is not a JSON object");
    return fields;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return {};
    throw new AgentMuxError("CONFIG_ERROR", `${path} cannot be read: ${(error as Error).message}.`, { cause: error });
  }
}

function labelOf(value: unknown): SessionLabel {
  const label = asObject(value);
  const tags = (asArray(label?.["tags"]) ?? []).filter((tag): tag is string => typeof tag === "string").map(oneLine);
  const name = oneLine(asText(label?.["name"]) ?? "");
  return { tags, starred: label?.["starred"] === true, ...optional("name", name === "" ? undefined : name) };
}
