/**
 * What the daemon learnt about a session and needs after a restart: its conversation and what was read. Stored in the session's
 * directory.
 */
import { join } from "node:path";
import { writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { asNumber, asObject, asText } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { sessionFiles, type SessionDirectories } from "../../protocol/session-files.ts";
import type { Conversation } from "../store/session-record.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

export interface SessionNotes {
  /** The process these notes are about. */
  incarnation?: string;
  resume_key?: string | undefined;
  /** The conversation's agent, if it is not the session's kind. */
  agent?: string | undefined;
  adapter_title?: string | undefined;
  conversation?: Conversation | undefined;
  /** What it was called in URLs. */
  slug?: string;
  /** The result the user has seen since the process ended. */
  read_token?: number;
}

const GROUNDS: readonly Conversation["by"][] = ["hook", "launch", "command", "directory", "screen"];

export interface NotesStore {
  read(id: string): SessionNotes;
  /** Merges into the existing notes; undefined removes a field. */
  write(id: string, notes: SessionNotes): void;
}

export class NotesFile implements NotesStore {
  readonly #places: SessionDirectories;
  readonly #onProblem: (what: string, error: unknown) => void;

  constructor(places: SessionDirectories, onProblem: (what: string, error: unknown) => void) {
    this.#places = places;
    this.#onProblem = onProblem;
  }

  read(id: string): SessionNotes {
    try {
      return notesFrom(JSON.parse(readText(this.#path(id))));
    } catch {
      // No readable notes: they will be learnt again.
      return {};
    }
  }

  write(id: string, notes: SessionNotes): void {
    try {
      writeFileAtomic(this.#path(id), `${JSON.stringify({ ...this.read(id), ...notes })}\n`);
    } catch (error) {
      // Without a directory the session never had a process here, or was dismissed.
      if (codeOf(error) !== "ENOENT") this.#onProblem(`saving notes about ${id}`, error);
    }
  }

  #path(id: string): string {
    return join(sessionFiles(this.#places, id).directory, "notes.json");
  }
}

function notesFrom(value: unknown): SessionNotes {
  const notes = asObject(value) ?? {};
  const conversation = asObject(notes["conversation"]);
  const how = conversation?.["how"];
  return {
    ...optional("incarnation", asText(notes["incarnation"])),
    ...optional("resume_key", asText(notes["resume_key"])),
    ...optional("agent", asText(notes["agent"])),
    ...optional("adapter_title", asText(notes["adapter_title"])),
    ...(how === "told" || how === "guessed"
      ? {
          conversation: {
            how,
            by: groundsOf(how, conversation?.["by"]),
            ...optional("path", asText(conversation?.["path"])),
          },
        }
      : {}),
    ...optional("slug", asText(notes["slug"])),
    ...optional("read_token", asNumber(notes["read_token"])),
  };
}

/** Notes of an earlier version lack them. */
function groundsOf(how: Conversation["how"], by: unknown): Conversation["by"] {
  const known = GROUNDS.find((word) => word === by);
  return known ?? (how === "told" ? "hook" : "directory");
}
