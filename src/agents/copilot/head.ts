/** Session-level facts, from the first and the last events of a file or from all of them. */
import { join, sep } from "node:path";
import { readText } from "../../lib/fs/foreign-file.ts";
import { asObject, asTime } from "../../lib/json/fields.ts";
import { parseObject } from "../../lib/json/json.ts";
import { parseYaml } from "../../lib/json/yaml.ts";
import { optional } from "../../lib/values/optional.ts";
import type { SessionHead } from "../adapter.ts";
import { sessionTitle } from "../session-title.ts";
import { mostUsed } from "../shared/model-uses.ts";
import { trustedFoldersIn, workspaceIn, type CopilotEvent, type Saying } from "./format.ts";

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
    const firstId = this.#firstPrompt?.eventId;
    return {
      title: sessionTitle(workspace.name, this.#firstPrompt?.text),
      ...optional("createdMs", this.#startMs ?? asTime(workspace.created) ?? this.#firstMs),
      ...optional("updatedMs", this.#lastMs),
      ...optional("startedMs", this.#startMs),
      ...optional("model", mostUsed(this.#models) ?? this.currentModel),
      ...optional("cwd", this.#cwd ?? workspace.cwd ?? trustedFolderOf(copilotDir, this.#paths)),
      ...optional("branch", this.#branch ?? workspace.branch),
      ...optional("commit", this.#commit),
      ...optional("agentVersion", this.#version),
      ...optional("forkedFrom", this.#forkedFrom),
      // A fork copies events with their ids.
      ...(firstId === undefined ? {} : { familyKeys: [firstId] }),
    };
  }
}

/** Optional: the events have the same facts. */
function readWorkspace(path: string | undefined): ReturnType<typeof workspaceIn> {
  if (path === undefined) return {};
  try {
    return workspaceIn(parseYaml(readText(path)));
  } catch {
    return {};
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
    return trustedFoldersIn(parseObject(readText(configPath).replace(/^\s*\/\/.*$/gm, "")));
  } catch {
    // Without the file the directory stays unknown.
    return [];
  }
}
