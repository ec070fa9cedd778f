/** Collects title, dates, model and origin of a JSONL tree from its records in file order. */
import { asText, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { SessionHead } from "../adapter.ts";
import { sessionTitle } from "../session-title.ts";
import { mostUsed } from "./model-uses.ts";
import {
  createEntryReader,
  isAnswer,
  isUser,
  modelOf,
  namesIn,
  readTreeHeader,
  selectedModel,
  slotTitle,
  type TreeEntry,
  type TreeHeader,
} from "./tree-format.ts";
import { messagesOf, type UserText } from "./tree-messages.ts";

/** Going back before the first message creates a second root; more than a few mean a broken file. */
const MAX_ROOTS = 8;

export class TreeHeadCollector {
  header: TreeHeader | undefined;
  /** Whether there is a message on any branch. */
  hasConversation = false;
  readonly #userText: UserText | undefined;
  readonly #readEntry = createEntryReader();
  readonly #models: (string | undefined)[] = [];
  readonly #roots: string[] = [];
  #slotTitle: string | undefined;
  #changedTitle: string | undefined;
  #name: string | undefined;
  #firstPrompt: string | undefined;
  #selectedModel: string | undefined;
  #firstMs: number | undefined;
  #lastMs: number | undefined;

  constructor(userText?: UserText) {
    this.#userText = userText;
  }

  /** Whether the first prompt was seen. */
  get hasPrompt(): boolean {
    return this.#firstPrompt !== undefined;
  }

  /** Takes the next record; returns it as an entry if it is part of the tree. */
  see(record: Json): TreeEntry | undefined {
    const entry = this.#readEntry(record);
    if (entry) this.#seeEntry(entry);
    else {
      this.header ??= readTreeHeader(record);
      this.#slotTitle = slotTitle(record) ?? this.#slotTitle;
    }
    return entry;
  }

  #seeEntry(entry: TreeEntry): void {
    if (entry.at !== undefined) {
      this.#firstMs = Math.min(this.#firstMs ?? entry.at, entry.at);
      this.#lastMs = Math.max(this.#lastMs ?? entry.at, entry.at);
    }
    if (entry.parentId === null && entry.at !== undefined && this.#roots.length < MAX_ROOTS) {
      this.#roots.push(`root@${entry.at}`);
    }
    const names = namesIn(entry);
    // The last one in the file wins, on any branch; an empty name removes it.
    if ("name" in names) this.#name = names.name;
    if ("title" in names) this.#changedTitle = names.title;
    this.#selectedModel = selectedModel(entry) ?? this.#selectedModel;
    this.#seeMessage(entry);
  }

  /** The facts so far. The adapter sets `forkedFrom`, since it knows how its paths name sessions. */
  head(): SessionHead {
    const createdMs = this.header?.startedMs ?? this.#firstMs;
    return {
      title: sessionTitle(this.#givenTitle(), this.#firstPrompt),
      ...(createdMs === undefined ? {} : { createdMs, startedMs: createdMs }),
      ...optional("updatedMs", this.#lastMs),
      ...optional("model", mostUsed(this.#models) ?? this.#selectedModel),
      ...optional("cwd", this.header?.cwd),
      ...(this.#roots.length === 0 ? {} : { familyKeys: this.#roots }),
    };
  }

  #seeMessage(entry: TreeEntry): void {
    if (isUser(entry)) {
      const [said] = messagesOf(entry, this.#userText);
      if (said?.role !== "user") return;
      this.hasConversation = true;
      if (this.#firstPrompt === undefined) this.#firstPrompt = asText(withoutAttachments(said.content).trim());
    } else if (isAnswer(entry)) {
      this.hasConversation = true;
      this.#models.push(modelOf(entry.message ?? {}));
    }
  }

  #givenTitle(): string | undefined {
    const slot = this.#slotTitle;
    const changed = this.#changedTitle;
    if (slot) {
      // The slot has 256 bytes; only the entry has a longer title in full.
      return changed?.startsWith(slot.replace(/…$/, "")) ? changed : slot;
    }
    // The slot was never filled; one that was cleared has a change entry too.
    if (slot === "") return changed === undefined ? this.header?.title : undefined;
    return asText(this.#name) ?? asText(this.#changedTitle) ?? this.header?.title;
  }
}

/** `pi @file "question"` puts the file before the question; images follow it. */
function withoutAttachments(text: string): string {
  const question = text.replace(/^(?:<file name="[^"]*">[^]*?<\/file>\s*)+/, "").replace(/(?:\n\[image\])+$/, "");
  return question === "" ? text : question;
}
