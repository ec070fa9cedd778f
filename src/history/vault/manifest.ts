/** What the vault holds: a line of settings, then a line for each file. Replaced as a whole, so it is complete or unchanged. */
import { statSync } from "node:fs";
import { isAbsolute, join, normalize, sep } from "node:path";
import type { AgentEnv } from "../../agents/adapter.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { writeFileDurable } from "../../lib/fs/atomic-file.ts";
import { isMissing } from "../../lib/fs/directory.ts";
import { readText } from "../../lib/fs/foreign-file.ts";
import { amuxHome } from "../../lib/fs/paths.ts";
import { ensurePrivateDirectory } from "../../lib/fs/private-directory.ts";
import { asArray, asNumber, asObject, asText, type Json } from "../../lib/json/fields.ts";

const VERSION = 1;
/** Millions of files; more is not a vault of ours. */
const MAX_BYTES = 1024 * 1024 * 1024;
export const DEFAULT_MAX_SIZE = 5_000_000_000;

/** A piece of a file: its digest and its size in the vault. */
export type Piece = readonly [digest: string, bytes: number];

export interface VaultFile {
  agent: string;
  /** The sessions it belongs to. */
  sessions: readonly string[];
  /** The file that the agent keeps the conversation in; others belong to it. */
  isMain: boolean;
  path: string;
  size: number;
  mtimeMs: number;
  ino: number;
  /** Last change of its session: the oldest are dropped first. */
  sessionMs: number;
  pieces: readonly Piece[];
}

export interface Manifest {
  isEnabled: boolean;
  maxBytes: number;
  syncedMs?: number;
  /** Sessions that did not fit, and the last change of the newest of them: nothing that old is copied again. */
  dropped?: { sessions: number; untilMs: number };
  /** Size of files whose session is larger than the whole vault may be: they are not tried again. */
  tooLarge: Map<string, number>;
  files: Map<string, VaultFile>;
  /** Lines that cannot be read are kept as they are. */
  unreadable: readonly string[];
}

export function vaultDirectory(env: AgentEnv): string {
  return join(amuxHome(env), "vault");
}

function manifestPath(env: AgentEnv): string {
  return join(vaultDirectory(env), "manifest.jsonl");
}

/** Identifies its state; undefined if there is no vault. */
export function manifestStamp(env: AgentEnv): string | undefined {
  try {
    const stat = statSync(manifestPath(env), { throwIfNoEntry: false });
    return stat && `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Undefined if there is no vault. */
export function readManifest(env: AgentEnv): Manifest | undefined {
  let text: string;
  try {
    text = readText(manifestPath(env), MAX_BYTES);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  const [first = "", ...lines] = text.split("\n");
  const settings = parsed(first) ?? {};
  const version = asNumber(settings["version"]);
  if (version !== undefined && version > VERSION) throw newer(env);
  const files = new Map<string, VaultFile>();
  // A damaged first line costs the settings only. What a crash emptied may have listed pieces, so none is removed.
  const unreadable = version === undefined ? [first || EMPTIED] : [];
  for (const line of lines) {
    if (line === "") continue;
    const file = fileFrom(env, parsed(line));
    if (file === undefined) unreadable.push(line);
    else files.set(file.path, file);
  }
  const syncedMs = asNumber(settings["syncedMs"]);
  const dropped = asObject(settings["dropped"]);
  const tooLarge = Object.entries(asObject(settings["tooLarge"]) ?? {});
  return {
    isEnabled: settings["enabled"] === true,
    maxBytes: asNumber(settings["maxBytes"]) ?? DEFAULT_MAX_SIZE,
    ...(syncedMs === undefined ? {} : { syncedMs }),
    ...(dropped && {
      dropped: { sessions: asNumber(dropped["sessions"]) ?? 0, untilMs: asNumber(dropped["untilMs"]) ?? 0 },
    }),
    tooLarge: new Map(
      tooLarge.flatMap(([path, size]) => (typeof size === "number" ? [[withHome(env, path), size]] : [])),
    ),
    files,
    unreadable,
  };
}

const EMPTIED = "(the list was empty)";

function newer(env: AgentEnv): AgentMuxError {
  const what = `${manifestPath(env)} was written by a newer amux. Nothing in the vault was changed.`;
  return new AgentMuxError("CONFIG_ERROR", what);
}

export function writeManifest(env: AgentEnv, manifest: Manifest): void {
  const { isEnabled, maxBytes, syncedMs, dropped, files, unreadable } = manifest;
  ensurePrivateDirectory(vaultDirectory(env));
  const tooLarge = Object.fromEntries(Array.from(manifest.tooLarge, ([path, size]) => [homeless(env, path), size]));
  const lines = [
    JSON.stringify({ version: VERSION, enabled: isEnabled, maxBytes, syncedMs, dropped, tooLarge }),
    ...Array.from(files.values(), (file) => JSON.stringify({ ...file, path: homeless(env, file.path) })),
    ...unreadable,
  ];
  writeFileDurable(manifestPath(env), `${lines.join("\n")}\n`);
}

function parsed(line: string): Json | undefined {
  try {
    return asObject(JSON.parse(line));
  } catch {
    // Kept as it is, and counted.
    return undefined;
  }
}

function fileFrom(env: AgentEnv, value: Json | undefined): VaultFile | undefined {
  const [agent, stored] = [asText(value?.["agent"]), asText(value?.["path"])];
  const [size, mtimeMs, sessionMs] = ["size", "mtimeMs", "sessionMs"].map((name) => asNumber(value?.[name]));
  const sessions = asArray(value?.["sessions"])?.filter((id) => typeof id === "string");
  const pieces = asArray(value?.["pieces"])?.map(pieceFrom);
  const path = stored === undefined ? undefined : withHome(env, stored);
  if (value === undefined || agent === undefined || sessions === undefined || path === undefined) return undefined;
  if (size === undefined || mtimeMs === undefined || sessionMs === undefined) return undefined;
  if (!isAbsolute(path) || normalize(path) !== path) return undefined;
  if (pieces === undefined || !pieces.every((piece) => piece !== undefined)) return undefined;
  const ino = asNumber(value["ino"]) ?? 0;
  return { agent, sessions, isMain: value["isMain"] === true, path, size, mtimeMs, ino, sessionMs, pieces };
}

const DIGEST = /^[0-9a-f]{64}$/;

function pieceFrom(value: unknown): Piece | undefined {
  const [digest, size] = asArray(value) ?? [];
  const bytes = asNumber(size);
  return typeof digest === "string" && DIGEST.test(digest) && bytes !== undefined ? [digest, bytes] : undefined;
}

/** Paths in the home directory are kept without it: it may be called otherwise on the next machine. */
function homeless({ home }: AgentEnv, path: string): string {
  return path.startsWith(`${home}${sep}`) ? `~${path.slice(home.length)}` : path;
}

function withHome({ home }: AgentEnv, path: string): string {
  return path.startsWith(`~${sep}`) ? `${home}${path.slice(1)}` : path;
}
