/**
 * `.agent-mux/worktree.json` of a checkout: files to copy into a new worktree, and a command that prepares it. The file comes with
 * the repository, so it may say anything.
 */
import { AgentMuxError } from "../../core/errors.ts";
import { asArray, asObject, asText } from "../../lib/json/fields.ts";
import { readText } from "../../lib/fs/foreign-file.ts";
import { optional } from "../../lib/values/optional.ts";
import type { ProjectPrograms } from "../../status/trust.ts";
import { oneLine } from "../../lib/text/text.ts";
import { DIRECTORY, insideFile, LINK, partsOf } from "./inside-file.ts";

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

/** Separators of a shell command's words. */
const BETWEEN_WORDS = /[\s;&|<>()"'`$={}]+/;

/**
 * What trust in a repository's set-up covers: the settings, and every file of the checkout that the command names, also below a
 * directory that it names before. What those run in turn is not covered. The same content in another checkout of the repository is
 * trusted too. Throws if the command names a file in a way that cannot be followed: it could change unnoticed.
 */
export function setUpPrograms(repository: string, checkout: string, setup: string): ProjectPrograms {
  const named = new Set<string>();
  const places = new Set([""]);
  for (const word of setup.split(BETWEEN_WORDS)) {
    if (word.startsWith("/")) continue;
    for (const name of namesOf(word, [...places].slice(0, MAX_FILES))) {
      const file = insideFile(checkout, name);
      if ("path" in file) named.add(file.path);
      else if (file.problem === LINK) throw wrong(`names ${oneLine(word)} in setup, and a link cannot be trusted`);
      else if (file.problem === DIRECTORY) places.add(name);
    }
  }
  const settings = insideFile(checkout, SETTINGS_FILE);
  const files = ["path" in settings ? settings.path : SETTINGS_FILE, ...named];
  return { directory: repository, use: "worktree", base: checkout, runs: [setup], files };
}

/** What a word may mean in each of the directories, which are reached without links. */
function namesOf(word: string, places: readonly string[]): string[] {
  const parts = partsOf(word);
  const up = parts.findIndex((part) => part !== "..");
  const [ups, rest] = up === -1 ? [parts.length, []] : [up, parts.slice(up)];
  const known = places.map(partsOf).filter((place) => place.length >= ups);
  if (rest.includes("..") || known.length === 0)
    throw wrong(`names ${oneLine(word)} in setup, and that path cannot be trusted`);
  return known.map((place) => [...place.slice(0, place.length - ups), ...rest].join("/"));
}
