/** Session-level facts, from the first and the last events of a file or from all of them. */
import { asObject, asTime } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { SessionHead } from "../adapter.ts";
import { sessionTitle } from "../session-title.ts";
import { ModelUses } from "../shared/model-uses.ts";
import type { CopilotEvent, Saying } from "./format.ts";
import type { Workspace } from "./workspace.ts";

/** More paths do not improve the guess of the directory. */
const MAX_PATHS = 200;

export class HeadBuilder {
  sawEvent = false;
  hasConversation = false;
  /** The session's selected model, for older replies without one. */
  currentModel: string | undefined;
  /** Absolute paths in tool calls, to guess the directory of a session without one. */
  readonly paths = new Set<string>();
  #firstPrompt: { text: string; eventId: string | undefined } | undefined;
  #startMs: number | undefined;
  #firstMs: number | undefined;
  #lastMs: number | undefined;
  #cwd: string | undefined;
  #branch: string | undefined;
  #version: string | undefined;
  #forkedFrom: string | undefined;
  readonly #models = new ModelUses();

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
        this.#models.see(said.model ?? this.currentModel);
    }
  }

  #seeStart({ cwd, branch, version, model }: Saying<"start">): void {
    this.#cwd ??= cwd;
    this.#branch = branch ?? this.#branch;
    this.#version = version ?? this.#version;
    this.currentModel = model ?? this.currentModel;
  }

  #seePaths(input: unknown): void {
    if (this.#cwd !== undefined || this.paths.size >= MAX_PATHS) return;
    for (const value of Object.values(asObject(input) ?? {})) {
      if (typeof value === "string" && value.startsWith("/") && !value.includes("\n")) this.paths.add(value);
    }
  }

  /** `cwdOf` guesses the directory from paths if no event has it. */
  build(workspace: Workspace, cwdOf: (paths: ReadonlySet<string>) => string | undefined): SessionHead {
    // About 1.0.2 `name` was called `summary`; unnamed sessions have their whole first prompt there.
    const name = workspace.get("name") || workspace.get("summary");
    const firstId = this.#firstPrompt?.eventId;
    return {
      title: sessionTitle(name, this.#firstPrompt?.text),
      ...optional("createdMs", this.#startMs ?? asTime(workspace.get("created_at")) ?? this.#firstMs),
      ...optional("updatedMs", this.#lastMs),
      ...optional("startedMs", this.#startMs),
      ...optional("model", this.#models.mostUsed ?? this.currentModel),
      ...optional("cwd", this.#cwd ?? workspace.get("cwd") ?? cwdOf(this.paths)),
      ...optional("branch", this.#branch ?? workspace.get("branch")),
      ...optional("agentVersion", this.#version),
      ...optional("forkedFrom", this.#forkedFrom),
      // A fork copies events with their ids.
      ...(firstId === undefined ? {} : { familyKeys: [firstId] }),
    };
  }
}
