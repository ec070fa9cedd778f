/** Session-level facts, from the first and the last events of a file or from all of them. */
import { join, sep } from "node:path";
import { readText } from "../../lib/fs/foreign-file.ts";
import { asArray, asObject, asTime } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { SessionHead } from "../adapter.ts";
import { sessionTitle } from "../session-title.ts";
import { mostUsed } from "../shared/model-uses.ts";
import type { CopilotEvent, Saying } from "./format.ts";

/** More paths do not improve the guess of the directory. */
const MAX_PATHS = 200;

export class HeadBuilder {
  sawEvent = false;
  hasConversation = false;
  /** The session's selected model, for older replies without one. */
  currentModel: string | undefined;
  /** Absolute paths in tool calls, to guess the directory of a session without one. */
  readonly #paths = new Set<string>();
  #firstPrompt: { text: string; eventId: string | undefined } | undefined;
  #startMs: number | undefined;
  #firstMs: number | undefined;
  #lastMs: number | undefined;
  #cwd: string | undefined;
  #branch: string | undefined;
  #commit: string | undefined;
  #version: string | undefined;
  #forkedFrom: string | undefined;
  readonly #models: (string | undefined)[] = [];

  get hasPrompt(): boolean {
    return this.#firstPrompt !== undefined;
  }

  see({ id, at, subagent, said }: CopilotEvent): void {
    this.sawEvent = true;
    // The first line of a fork is newer than the lines copied after it.
    if (said?.kind === "start" && said.isFirst) this.#startMs ??= said.startMs ?? at;
    else this.#firstMs ??= at;
    if (at !== undefined) this.#lastMs = Math.max(this.#lastMs ?? at, at);
    if (said?.kind === "fork") this.#forkedFrom = said.from;
    if (subagent !== undefined) return;
    switch (said?.kind) {
      case "start":
        this.#seeStart(said);
        break;
      case "model":
        this.currentModel = said.model ?? this.currentModel;
        break;
      case "call":
        this.#seePaths(said.input);
        break;
      case "prompt":
        this.hasConversation = true;
        this.#firstPrompt ??= { text: said.text, eventId: id };
        break;
      case "reply":
        this.hasConversation = true;
        this.#models.push(said.model ?? this.currentModel);
    }
  }

  #seeStart({ cwd, branch, commit, version, model }: Saying<"start">): void {
    this.#cwd ??= cwd;
    this.#commit ??= commit;
    this.#branch = branch ?? this.#branch;
    this.#version = version ?? this.#version;
    this.currentModel = model ?? this.currentModel;
  }

  #seePaths(input: unknown): void {
    if (this.#cwd !== undefined || this.#paths.size >= MAX_PATHS) return;
    for (const value of Object.values(asObject(input) ?? {})) {
      if (typeof value === "string" && value.startsWith("/") && !value.includes("\n")) this.#paths.add(value);
    }
  }

  /** The directory is guessed from paths if no event has it. */
  build(workspacePath: string | undefined, copilotDir: string): SessionHead {
    const workspace = readWorkspace(workspacePath);
    // About 1.0.2 `name` was called `summary`; unnamed sessions have their whole first prompt there.
    const name = workspace.get("name") || workspace.get("summary");
    const firstId = this.#firstPrompt?.eventId;
    return {
      title: sessionTitle(name, this.#firstPrompt?.text),
      ...optional("createdMs", this.#startMs ?? asTime(workspace.get("created_at")) ?? this.#firstMs),
      ...optional("updatedMs", this.#lastMs),
      ...optional("startedMs", this.#startMs),
      ...optional("model", mostUsed(this.#models) ?? this.currentModel),
      ...optional("cwd", this.#cwd ?? workspace.get("cwd") ?? trustedFolderOf(copilotDir, this.#paths)),
      ...optional("branch", this.#branch ?? workspace.get("branch")),
      ...optional("commit", this.#commit),
      ...optional("agentVersion", this.#version),
      ...optional("forkedFrom", this.#forkedFrom),
      // A fork copies events with their ids.
      ...(firstId === undefined ? {} : { familyKeys: [firstId] }),
    };
  }
}

/** `workspace.yaml` beside the events: a flat list of keys. Strings may be quoted or, with line breaks, a block. */
type Workspace = ReadonlyMap<string, string>;

const NOTHING: Workspace = new Map();

function readWorkspace(path: string | undefined): Workspace {
  if (path === undefined) return NOTHING;
  try {
    return parseWorkspace(readText(path));
  } catch {
    // Optional: the events have the same facts.
    return NOTHING;
  }
}

export function parseWorkspace(text: string): Workspace {
  const values = new Map<string, string>();
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  for (let index = 0; index < lines.length; index++) {
    const pair = /^([\w-]+):(?:\s+(.*))?$/.exec(lines[index]!);
    if (pair === null) continue;
    const [, key, written = ""] = pair;
    const rest: string[] = [];
    while (index + 1 < lines.length && /^(?:\s|$)/.test(lines[index + 1]!)) rest.push(lines[++index]!);
    values.set(key!, valueOf(written.trim(), rest));
  }
  return values;
}

function valueOf(written: string, rest: readonly string[]): string {
  if (/^[|>][+-]?\d*$/.test(written)) return blockOf(rest, written.startsWith("|") ? "\n" : " ");
  // A long plain or quoted string is folded over indented lines.
  const folded = [written, ...rest.map((line) => line.trim())].join(" ").trim();
  if (folded.startsWith("'")) return folded.replace(/^'|'$/g, "").replaceAll("''", "'");
  if (folded.startsWith('"')) return unescape(folded);
  return folded;
}

function blockOf(lines: readonly string[], separator: string): string {
  const indent = /^\s*/.exec(lines[0] ?? "")![0].length;
  return lines
    .map((line) => line.slice(indent))
    .join(separator)
    .trimEnd();
}

function unescape(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    // YAML has more escapes than JSON; the text is readable without decoding them.
    return quoted.replace(/^"|"$/g, "");
  }
}

/**
 * Guesses the directory of sessions without one (up to 0.0.370): the innermost trusted folder that contains every file
 * the session's tools touched.
 */
export function trustedFolderOf(copilotDir: string, paths: ReadonlySet<string>): string | undefined {
  if (paths.size === 0) return undefined;
  let innermost: string | undefined;
  for (const folder of trustedFolders(join(copilotDir, "config.json"))) {
    const holdsAll = [...paths].every((path) => path === folder || path.startsWith(`${folder}${sep}`));
    if (holdsAll && folder.length > (innermost?.length ?? 0)) innermost = folder;
  }
  return innermost;
}

function trustedFolders(configPath: string): string[] {
  try {
    // Newer versions begin the file with comment lines.
    const config = asObject(JSON.parse(readText(configPath).replace(/^\s*\/\/.*$/gm, "")));
    const folders = asArray(config?.["trusted_folders"]) ?? asArray(config?.["trustedFolders"]) ?? [];
    return folders.filter((folder) => typeof folder === "string");
  } catch {
    // Without the file the directory stays unknown.
    return [];
  }
}
