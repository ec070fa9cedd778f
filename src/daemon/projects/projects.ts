/** The user's projects, on disk and in the order they were put. */
import { conversationOf } from "../../client/conversation.ts";
import { renameSync } from "node:fs";
import { writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { projectOf } from "../../protocol/project-matching.ts";
import { MAX_PROJECT_SESSIONS, ProjectList, type Project, type ProjectsAnswer } from "../../protocol/projects.ts";
import type { SessionStore, StoreChange } from "../store/store.ts";
import { discover } from "./discovered.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

const VERSION = 1;

/** Where sessions are without a project is counted anew no more often than this: it takes a look at all of them. */
const COUNT_EVERY_MS = 1000;

export interface ProjectsListener {
  onChange(): void;
  onProblem(what: string, error: unknown): void;
}

export class Projects {
  readonly #path: string;
  readonly #store: SessionStore;
  readonly #listener: ProjectsListener;
  #list: ProjectList;
  #told: string | undefined;
  #isCounting = false;

  constructor(path: string, store: SessionStore, listener: ProjectsListener) {
    this.#path = path;
    this.#store = store;
    this.#listener = listener;
    this.#list = load(path, listener);
    store.onChange((change) => {
      const { before, after } = change;
      if (after?.alive === true && before?.alive !== true) this.#adopt(after);
      if (hasMoved(change)) this.#countSoon();
    });
  }

  answer(): ProjectsAnswer {
    return { ...this.#list, discovered: discover(this.#store.list(), this.#list.items) };
  }

  /** The user's own arrangement; what lives and has no place in it yet gets one. */
  replace(list: ProjectList): void {
    if (JSON.stringify(list) !== JSON.stringify(this.#list)) {
      this.#write(list);
      this.#change(list);
    }
    for (const session of this.#store.list()) if (session.alive) this.#adopt(session);
  }

  /** A live session takes its place at the end of its project, and keeps it when it dies. */
  #adopt(session: MuxSession): void {
    const project = projectOf(session, this.#list.items);
    // Its conversation too: that comes back under an id of its own when the session is dismissed.
    const members = [session.id, conversationOf(session)].filter((member) => member !== undefined);
    const missing = members.filter((member) => project?.sessions.includes(member) === false);
    if (project === undefined || missing.length === 0) return;
    const items = this.#list.items.map((item) =>
      item === project ? { ...item, sessions: this.#withRoom(item, missing) } : item,
    );
    this.#change({ ...this.#list, items });
    try {
      this.#write(this.#list);
    } catch (error) {
      // The session is none the worse for it, and the next change writes its place down, too.
      this.#listener.onProblem("writing down projects", error);
    }
  }

  /** What is gone for good makes room first, then what has been there longest. */
  #withRoom({ sessions }: Project, added: readonly string[]): string[] {
    const all = [...sessions, ...added];
    if (all.length <= MAX_PROJECT_SESSIONS) return all;
    return all.filter((other) => this.#store.get(other) !== undefined).slice(-MAX_PROJECT_SESSIONS);
  }

  #write(list: ProjectList): void {
    writeFileAtomic(this.#path, `${JSON.stringify({ version: VERSION, ...list }, undefined, 2)}\n`);
  }

  #change(list: ProjectList): void {
    this.#list = list;
    this.#listener.onChange();
  }

  #countSoon(): void {
    if (this.#isCounting) return;
    this.#isCounting = true;
    setTimeout(() => {
      this.#isCounting = false;
      const places = JSON.stringify(this.answer().discovered);
      if (places === this.#told) return;
      this.#told = places;
      this.#listener.onChange();
    }, COUNT_EVERY_MS).unref();
  }
}

/** Whether it may count elsewhere, or otherwise, than before. */
function hasMoved({ before, after }: StoreChange): boolean {
  return (
    before?.alive !== after?.alive || before?.cwd !== after?.cwd || before?.workspace_root !== after?.workspace_root
  );
}

/** A file that cannot be understood is put aside: it holds what the user arranged, and would be overwritten. */
function load(path: string, { onProblem }: ProjectsListener): ProjectList {
  let text: string;
  try {
    text = readText(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { items: [], pins: [] };
    throw error;
  }
  const result = ProjectList.safeParse(parse(text));
  if (result.success) return result.data;
  const aside = `${path}.damaged-${Date.now()}`;
  renameSync(path, aside);
  const why = result.error.issues[0]?.message ?? "";
  onProblem("projects", new Error(`${path} is not understood (${why}). It was put aside as ${aside}.`));
  return { items: [], pins: [] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
