/** The session-level facts of a chat, from all of its records or from those at both ends. */
import type { Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { SessionHead } from "../adapter.ts";
import { sessionTitle } from "../session-title.ts";
import { mostUsed } from "../shared/model-uses.ts";
import { headFieldsOf, idOf, kindOf, modelOf, originOf, promptOf, timeOf } from "./format.ts";

export class HeadCollector {
  #prompt: string | undefined;
  #title: string | undefined;
  #firstId: string | undefined;
  #origin: string | undefined;
  #parent: string | undefined;
  #created: number | undefined;
  /** When the first record of its own was written. */
  #started: number | undefined;
  #updated: number | undefined;
  #cwd: string | undefined;
  #branch: string | undefined;
  #version: string | undefined;
  #hasReply = false;
  readonly #models: (string | undefined)[] = [];

  get hasPrompt(): boolean {
    return this.#prompt !== undefined;
  }

  see(record: Json): void {
    const kind = kindOf(record);
    const at = timeOf(record);
    const origin = originOf(record);
    const fields = headFieldsOf(record);
    this.#firstId ??= idOf(record);
    this.#created ??= at;
    if (origin === undefined) this.#started ??= at;
    this.#updated = at === undefined ? this.#updated : Math.max(at, this.#updated ?? at);
    this.#origin ??= origin;
    this.#parent ??= fields.parentSession;
    this.#title = fields.customTitle ?? this.#title;
    this.#cwd ??= fields.cwd;
    this.#branch = fields.branch ?? this.#branch;
    this.#version = fields.version ?? this.#version;
    if (kind === "prompt") this.#prompt ??= promptOf(record);
    if (kind !== "reply") return;
    this.#hasReply = true;
    this.#models.push(modelOf(record));
  }

  /** Undefined if nothing was said. */
  head(archived: boolean): SessionHead | undefined {
    if (this.#prompt === undefined && !this.#hasReply) return undefined;
    return {
      title: sessionTitle(this.#title, this.#prompt),
      ...optional("createdMs", this.#created),
      ...optional("updatedMs", this.#updated),
      ...optional("startedMs", this.#started),
      ...optional("model", mostUsed(this.#models)),
      ...optional("cwd", this.#cwd),
      ...optional("branch", this.#branch),
      ...optional("agentVersion", this.#version),
      ...(archived ? { archived } : {}),
      ...optional("forkedFrom", this.#origin),
      ...optional("parentId", this.#parent),
      ...(this.#firstId === undefined ? {} : { familyKeys: [this.#firstId] }),
    };
  }
}
