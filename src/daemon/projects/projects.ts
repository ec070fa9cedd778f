/** The user's projects, on disk and in the order they were put. */
import { readFileSync } from "node:fs";
import { writeFileAtomic } from "../../lib/atomic-file.ts";
import { codeOf } from "../../lib/directory.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { projectOf } from "../../protocol/project-matching.ts";
import { ProjectList, type ProjectsAnswer } from "../../protocol/projects.ts";
import type { SessionStore } from "../store/store.ts";
import { discover } from "./discovered.ts";

const VERSION = 1;

export class Projects {
  readonly #path: string;
  readonly #store: SessionStore;
  readonly #onChange: () => void;
  #list: ProjectList;

  /** A file that cannot be understood is an error: it holds what the user arranged, and would be overwritten. */
  constructor(path: string, store: SessionStore, onChange: () => void) {
    this.#path = path;
    this.#store = store;
    this.#onChange = onChange;
    this.#list = load(path);
    store.onChange(({ before, after }) => {
      if (after?.alive === true && before?.alive !== true) this.#adopt(after);
    });
  }

  answer(): ProjectsAnswer {
    return { ...this.#list, discovered: discover(this.#store.list(), this.#list.items) };
  }

  /** The user's own arrangement; what lives and has no place in it yet gets one. */
  replace(list: ProjectList): void {
    this.#save(list);
    for (const session of this.#store.list()) if (session.alive) this.#adopt(session);
  }

  #save(list: ProjectList): void {
    if (JSON.stringify(list) === JSON.stringify(this.#list)) return;
    writeFileAtomic(this.#path, `${JSON.stringify({ version: VERSION, ...list }, undefined, 2)}\n`);
    this.#list = list;
    this.#onChange();
  }

  /** A live session takes its place at the end of its project, and keeps it when it dies. */
  #adopt(session: MuxSession): void {
    const project = projectOf(session, this.#list.items);
    if (project === undefined || project.sessions.includes(session.id)) return;
    const items = this.#list.items.map((item) =>
      item === project ? { ...item, sessions: [...item.sessions, session.id] } : item,
    );
    this.#save({ ...this.#list, items });
  }
}

function load(path: string): ProjectList {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { items: [], pins: [] };
    throw error;
  }
  const result = ProjectList.safeParse(parse(text));
  if (!result.success) throw new Error(`${path} is not understood: ${result.error.issues[0]?.message ?? ""}.`);
  return result.data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
