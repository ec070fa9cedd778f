/** The user's projects, stored in the user's order. */
import { conversationOf } from "../../client/conversation.ts";
import { renameSync } from "node:fs";
import { writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { projectOf } from "../../protocol/project-matching.ts";
import { MAX_PROJECT_SESSIONS, ProjectList, type Project, type ProjectsAnswer } from "../../protocol/projects.ts";
import type { SessionStore, StoreChange } from "../store/store.ts";
import { discover } from "./discovered.ts";
import { settingsText } from "../../lib/fs/foreign-file.ts";

const VERSION = 1;

/** Sessions without a project are counted at most this often: it takes a look at all of them. */
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

  /** Replaces the user's arrangement; running sessions without a place get one. */
  replace(list: ProjectList): void {
    if (JSON.stringify(list) !== JSON.stringify(this.#list)) {
      this.#write(list);
      this.#change(list);
    }
    for (const session of this.#store.list()) if (session.alive) this.#adopt(session);
  }

  /** A running session joins the end of its project, and stays there when it ends. */
  #adopt(session: MuxSession): void {
    const project = projectOf(session, this.#list.items);
    // Also its conversation, which gets an id of its own when the session is dismissed.
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
      // The session is unaffected, and the next change saves its place too.
      this.#listener.onProblem("saving projects", error);
    }
  }

  /** Removes what is gone first, then the oldest. */
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

/** Whether it may belong to another group than before. */
function hasMoved({ before, after }: StoreChange): boolean {
  return (
    before?.alive !== after?.alive || before?.cwd !== after?.cwd || before?.workspace_root !== after?.workspace_root
  );
}

/** A malformed file is kept under another name: it holds the user's arrangement and would be overwritten. */
function load(path: string, { onProblem }: ProjectsListener): ProjectList {
  const text = settingsText(path);
  if (text === undefined) return { items: [], pins: [] };
  const result = ProjectList.safeParse(parse(text));
  if (result.success) return result.data;
  const aside = `${path}.damaged-${Date.now()}`;
  renameSync(path, aside);
  const why = result.error.issues[0]?.message ?? "";
  onProblem("projects", new Error(`${path} is malformed (${why}). It was renamed to ${aside}.`));
  return { items: [], pins: [] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
