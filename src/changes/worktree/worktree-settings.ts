/**
 * `.agent-mux/worktree.json` of a checkout: files to copy into a new worktree, and a command that prepares it. The file comes with
 * the repository, so it may say anything.
 */
import { AgentMuxError } from "../../core/errors.ts";
import { asArray, asObject, asText } from "../../lib/json/fields.ts";
import { readText } from "../../lib/fs/foreign-file.ts";
import { optional } from "../../lib/values/optional.ts";
import type { ProjectPrograms } from "../../status/trust.ts";
import { insideFile } from "./inside-file.ts";

export const SETTINGS_FILE = ".agent-mux/worktree.json";

const MAX_SETTINGS_BYTES = 64 * 1024;
const MAX_FILES = 100;
const MAX_COMMAND = 10_000;

export interface WorktreeSettings {
  copy: string[];
  /** For `/bin/sh -c`, in the new worktree. */
  setup?: string;
}

/** Undefined if the checkout has no such file. Throws what is wrong with it. */
export function readWorktreeSettings(checkout: string): WorktreeSettings | undefined {
  const file = insideFile(checkout, SETTINGS_FILE);
  if ("problem" in file) {
    if (file.isMissing === true) return undefined;
    throw wrong(`${file.problem}, so it is not used`);
  }
  let value: unknown;
  try {
    value = JSON.parse(readText(file.path, MAX_SETTINGS_BYTES));
  } catch (error) {
    throw wrong(`cannot be used: ${(error as Error).message}`);
  }
  const fields = asObject(value);
  if (fields === undefined) throw wrong("must hold a JSON object");
  const { copy, setup, ...others } = fields;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw wrong(`has "${unknown}"; it may hold copy and setup`);
  const names = copy === undefined ? [] : asArray(copy);
  if (names === undefined || names.length > MAX_FILES || !names.every((name) => typeof name === "string"))
    throw wrong(`must name at most ${MAX_FILES} files in copy, as texts`);
  const command = asText(setup);
  if (setup !== undefined && (command === undefined || command.trim() === "" || command.length > MAX_COMMAND))
    throw wrong("must hold one command for the shell in setup");
  return { copy: names as string[], ...optional("setup", command) };
}

function wrong(what: string): AgentMuxError {
  return new AgentMuxError("CONFIG_ERROR", `${SETTINGS_FILE} ${what}.`);
}

/**
 * What trust in a repository's set-up covers: the settings, and every file of the checkout that the command names. What those
 * run in turn is not covered. The same content in another checkout of the repository is trusted too.
 */
export function setUpPrograms(repository: string, checkout: string, setup: string): ProjectPrograms {
  const words = setup.split(/[\s;&|<>()"'`$=]+/);
  const named = words.flatMap((word) => {
    const file = insideFile(checkout, word);
    return "path" in file ? [file.path] : [];
  });
  const settings = insideFile(checkout, SETTINGS_FILE);
  const files = ["path" in settings ? settings.path : SETTINGS_FILE, ...new Set(named)];
  return { directory: repository, use: "worktree", base: checkout, runs: [setup], files };
}
