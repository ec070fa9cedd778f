/**
 * The last answers to lists, as they were printed, each with the moment from which on a change anywhere in the agents'
 * stores makes it void. A cache: whatever is wrong with it, answers are the same, only later.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { AgentAdapter, AgentEnv } from "../agents/adapter.ts";
import { writeFileAtomic } from "../lib/atomic-file.ts";
import { digestOf } from "../lib/digest.ts";
import { amuxHome } from "../lib/paths.ts";
import { ensurePrivateDirectory } from "../lib/private-directory.ts";
import { markOf, type TreeMark } from "../lib/tree-mark.ts";
import { canTellChanges, changesSince } from "../lib/tree-survey.ts";
import type { Catalog } from "./catalog.ts";

export interface ListText {
  /** JSON, as it is printed. */
  text: string | Buffer;
  /** Files or stores that could not be read for it. */
  skipped: number;
}

/** What an answer holds for, beside its text. */
interface Grounds {
  skipped: number;
  /** Of stores that were listed. */
  marks: TreeMark[];
  /** Where stores would be that there were none of. */
  absent: string[];
}

/** More than a person or a program asks in turn. */
const MAX_LISTS = 8;
/** To list fewer takes no longer than to ask what has changed among them. */
const LEAST_PATHS = 100;
const MAX_BYTES = 32 * 1024 * 1024;
const PASSING = /\b(?:EMFILE|ENFILE|EIO|ENOMEM|EAGAIN|EBUSY|EINTR|ESTALE|ETIMEDOUT)\b/;

export function keptListsPath(env: AgentEnv): string {
  return join(amuxHome(env), "index-lists");
}

export class KeptList {
  readonly #directory: string;
  readonly #path: string;
  readonly #env: AgentEnv;

  /** `question`: all that the answer depends on beside the stores. */
  constructor(env: AgentEnv, adapters: readonly AgentAdapter[], question: unknown) {
    const roots = adapters.map(({ name, history }) => [name, history?.roots(env) ?? []] as const);
    this.#directory = keptListsPath(env);
    this.#path = join(this.#directory, `${digestOf(JSON.stringify([question, roots]))}.json`);
    this.#env = env;
  }

  /** The answer, if it still holds. */
  async find(): Promise<ListText | undefined> {
    const kept = this.#read();
    if (kept === undefined || kept.grounds.absent.some((path) => existsSync(path))) return undefined;
    const changes = await changesSince(kept.grounds.marks, LEAST_PATHS);
    if (!changes.every((found) => found?.length === 0)) return undefined;
    return { text: kept.text, skipped: kept.grounds.skipped };
  }

  /** Keeps an answer that was made from these, if it can be told when it does not hold any more. */
  keep(catalogs: readonly Catalog[], { text, skipped }: ListText): void {
    if (text.length > MAX_BYTES) return;
    // What could not be read for a moment can be the next time, and nothing on the disk would tell.
    if (catalogs.some(({ notes }) => notes.skipped.some(({ reason }) => PASSING.test(reason)))) return;
    const marks: TreeMark[] = [];
    const absent: string[] = [];
    for (const { seen, adapter } of catalogs) {
      const mark = seen && markOf(seen);
      if (mark) marks.push(mark);
      else absent.push(...(adapter.history?.roots(this.#env) ?? []));
    }
    if (!canTellChanges(marks, LEAST_PATHS)) return;
    // Of stores that cannot be told to be as they were, there must be none.
    if (absent.some((path) => existsSync(path))) return;
    const grounds: Grounds = { skipped, marks, absent };
    const body = Buffer.from(`${JSON.stringify(grounds)}\n${String(text)}`);
    try {
      ensurePrivateDirectory(this.#directory);
      writeFileAtomic(this.#path, Buffer.concat([Buffer.from(`${digestOf(body)}\n`), body]));
      this.#forgetOld();
    } catch {
      // No space, or no right to write: then it is not kept.
    }
  }

  #read(): { grounds: Grounds; text: Buffer } | undefined {
    try {
      const bytes = readFileSync(this.#path);
      const start = bytes.indexOf(LINE_FEED) + 1;
      const body = bytes.subarray(start);
      if (bytes.toString("latin1", 0, start - 1) !== digestOf(body)) return undefined;
      const end = body.indexOf(LINE_FEED);
      return { grounds: JSON.parse(body.toString("utf8", 0, end)) as Grounds, text: body.subarray(end + 1) };
    } catch {
      // Not there, or not to be read.
      return undefined;
    }
  }

  #forgetOld(): void {
    const paths = readdirSync(this.#directory).map((name) => join(this.#directory, name));
    if (paths.length <= MAX_LISTS) return;
    const ages = new Map(paths.map((path) => [path, statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0]));
    for (const path of paths.toSorted((a, b) => ages.get(b)! - ages.get(a)!).slice(MAX_LISTS))
      rmSync(path, { force: true });
  }
}

const LINE_FEED = 10;
