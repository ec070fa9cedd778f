/**
 * Installs hooks in an agent's settings and removes them. The original is kept with a note of our change: if nobody edited the
 * file since, removal restores the same bytes; otherwise only our part goes.
 */
import { createHash } from "node:crypto";
import { chmodSync, existsSync, realpathSync, rmdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { AgentMuxError } from "../core/errors.ts";
import type { HookInstallation } from "../core/hooks.ts";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { codeOf } from "../lib/fs/directory.ts";
import { asObject, asText } from "../lib/json/fields.ts";
import { withLock } from "../lib/fs/with-lock.ts";
import { ensurePrivateDirectory } from "../lib/fs/private-directory.ts";
import { holdsEntries, withEntries, withoutEntries } from "./hook-settings.ts";
import { holdsTomlTables, withoutTomlTables, withTomlTables } from "./hook-toml.ts";
import { holdsYamlEntries, withoutYamlEntries, withYamlEntries } from "./hook-yaml.ts";
import { makeDirectory } from "../lib/fs/make-directory.ts";
import { readBytes, readText } from "../lib/fs/foreign-file.ts";

export type HookState = "absent" | "installed" | "outdated";

/** Another installation at the same moment takes no longer. */
const PATIENCE_MS = 5000;

export function hookState(place: HookInstallation): HookState {
  const { target } = place;
  const current = read(target.path);
  if (current === undefined || !isThere(place, current)) return "absent";
  const isWanted = [place, withoutLine(place)].some((each) => wanted(each, current) === current);
  return isWanted ? "installed" : "outdated";
}

/** The hooks alone: the status line is optional. */
export function withoutLine(place: HookInstallation): HookInstallation {
  if (place.target.kind !== "settings") return place;
  const { statusLine: _, ...target } = place.target;
  return { ...place, target };
}

/** False if everything was installed already. */
export function installHooks(place: HookInstallation): boolean {
  return exclusively(place, () => {
    const path = resolved(place.target.path);
    const current = read(path);
    const next = wanted(place, current);
    if (next === current) return false;
    const before = beforeOurs(place, current);
    const made = makeDirectory(dirname(path));
    remember(place, { before, after: hashOf(next), made });
    writeKeepingMode(path, next);
    return true;
  });
}

/** False if nothing of ours was installed. */
export function uninstallHooks(place: HookInstallation): boolean {
  return exclusively(place, () => {
    const path = resolved(place.target.path);
    const current = read(path);
    const note = recall(place);
    if (current === undefined || !isThere(place, current)) {
      forget(place);
      return false;
    }
    const untouched = note !== undefined && note.exact && hashOf(current) === note.after;
    const next = untouched ? note.before : stripped(place, current);
    if (next === undefined) rmSync(path, { force: true });
    else writeKeepingMode(path, next);
    if (next === undefined && note?.made !== undefined) removeEmpty(dirname(path), note.made);
    forget(place);
    return true;
  });
}

function wanted({ target, isOurs }: HookInstallation, current: string | undefined): string {
  switch (target.kind) {
    case "settings":
      return withEntries(current, target.entries, isOurs, target.path, target);
    case "yaml":
      return withYamlEntries(current, target.entries, isOurs, target.path);
    case "toml":
      return withTomlTables(current, target.tables, isOurs, target.path);
    case "file":
      if (current === undefined || isOurs(current)) return target.content;
      throw new AgentMuxError("CONFIG_ERROR", `${target.path} is there and not of amux. It was left as it is.`);
  }
}

function isThere({ target, isOurs }: HookInstallation, current: string): boolean {
  switch (target.kind) {
    case "settings":
      return holdsEntries(current, isOurs, target.path);
    case "yaml":
      return holdsYamlEntries(current, isOurs, target.path);
    case "toml":
      return holdsTomlTables(current, isOurs);
    case "file":
      return isOurs(current);
  }
}

function stripped({ target, isOurs }: HookInstallation, current: string): string | undefined {
  switch (target.kind) {
    case "settings":
      return withoutEntries(current, isOurs, target.path);
    case "yaml":
      return withoutYamlEntries(current, isOurs, target.path);
    case "toml":
      return withoutTomlTables(current, isOurs);
    case "file":
      return undefined;
  }
}

/** The file without our hooks, if known exactly. */
type Before = { exact: true; before: string | undefined } | { exact: false };

function beforeOurs(place: HookInstallation, current: string | undefined): Before {
  if (current === undefined || !isThere(place, current)) return { exact: true, before: current };
  const note = recall(place);
  return note?.exact === true && note.after === hashOf(current)
    ? { exact: true, before: note.before }
    : { exact: false };
}

interface Note {
  exact: boolean;
  before: string | undefined;
  after: string;
  /** The topmost directory created for the file. */
  made?: string;
}

function remember(
  place: HookInstallation,
  { before, after, made }: { before: Before; after: string; made: string | undefined },
): void {
  const kept = made ?? recall(place)?.made;
  const note = {
    path: place.target.path,
    after,
    ...(before.exact ? { existed: before.before !== undefined } : {}),
    ...(kept === undefined ? {} : { made: kept }),
  };
  const previous = before.exact ? before.before : undefined;
  if (previous !== undefined) writeFileAtomic(backupPath(place), previous);
  writeFileAtomic(notePath(place), `${JSON.stringify(note, null, 2)}\n`);
}

function recall(place: HookInstallation): Note | undefined {
  let fields;
  try {
    fields = asObject(JSON.parse(readText(notePath(place))));
  } catch {
    return undefined; // Never installed from here, or the note is lost: then our part is recognised by name.
  }
  const after = asText(fields?.["after"]);
  if (after === undefined || fields?.["path"] !== place.target.path) return undefined;
  const existed = fields["existed"];
  const before = existed === true ? read(backupPath(place)) : undefined;
  const exact = existed === false || (existed === true && before !== undefined);
  const made = asText(fields["made"]);
  return { exact, before, after, ...(made === undefined ? {} : { made }) };
}

function forget(place: HookInstallation): void {
  rmSync(notePath(place), { force: true });
  rmSync(backupPath(place), { force: true });
}

function backupPath({ home, agent }: HookInstallation): string {
  return join(home, "hooks", `${agent}.before`);
}

function notePath({ home, agent }: HookInstallation): string {
  return join(home, "hooks", `${agent}.json`);
}

function exclusively<T>(place: HookInstallation, work: () => T): T {
  const directory = join(place.home, "hooks");
  ensurePrivateDirectory(directory);
  const done = withLock(join(directory, `${place.agent}.lock`), PATIENCE_MS, work);
  if (done === undefined) {
    throw new AgentMuxError(
      "CONFIG_LOCK_ERROR",
      `Another process is changing the hooks of ${place.agent}; try again.`,
      { recoverable: true },
    );
  }
  return done.result;
}

function read(path: string): string | undefined {
  let bytes: Buffer;
  try {
    bytes = readBytes(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new AgentMuxError("CONFIG_ERROR", `${path} cannot be read (${codeOf(error)}).`, { cause: error });
  }
  const text = bytes.toString("utf8");
  if (!Buffer.from(text).equals(bytes))
    throw new AgentMuxError("CONFIG_ERROR", `${path} is not UTF-8. It was left as it is.`);
  return text;
}

/** Settings are often symlinks into a dotfiles repository; the link must stay. */
function resolved(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

function writeKeepingMode(path: string, text: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  writeFileAtomic(path, text);
  if (mode !== undefined) chmodSync(path, mode & 0o777);
}

function removeEmpty(directory: string, upTo: string): void {
  try {
    rmdirSync(directory);
  } catch {
    return; // The directory is not empty, so it is not ours to remove.
  }
  if (directory !== upTo) removeEmpty(dirname(directory), upTo);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
