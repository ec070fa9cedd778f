/** A JSON settings file: parsed strictly, written atomically, one writer at a time. */
import { dirname } from "node:path";
import { AgentMuxError } from "../core/errors.ts";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { asObject, type Json } from "../lib/json/fields.ts";
import { acquireLock } from "../lib/process/process-lock.ts";
import { makeDirectory } from "../lib/fs/make-directory.ts";
import { readText } from "../lib/fs/foreign-file.ts";

/** Undefined if there is no such file. A malformed one is an error, so that no setting is ignored. */
export function readSettings(path: string): Json | undefined {
  let content: string;
  try {
    content = readText(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new AgentMuxError("CONFIG_ERROR", `${path} cannot be read.`, { cause: error });
  }
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    throw new AgentMuxError("CONFIG_ERROR", `${path} is not valid JSON: ${(error as Error).message}`, { cause: error });
  }
  const settings = asObject(value);
  if (!settings) throw new AgentMuxError("CONFIG_ERROR", `${path} must hold a JSON object.`);
  return settings;
}

/** A user's settings are private; a project's are ordinary files. */
export function changeSettings(path: string, isPrivate: boolean, change: (current: Json) => Json): void {
  makeDirectory(dirname(path), isPrivate ? 0o700 : 0o777);
  const lock = acquireLock(`${path}.lock`);
  if (!lock) {
    throw new AgentMuxError("CONFIG_LOCK_ERROR", `${path} is being changed by another process; try again.`, {
      recoverable: true,
    });
  }
  try {
    const next = change(readSettings(path) ?? {});
    writeFileAtomic(path, `${JSON.stringify(next, null, 2)}\n`, isPrivate ? 0o600 : 0o644);
  } finally {
    lock.release();
  }
}
