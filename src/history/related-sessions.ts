/** Relations between sessions: descent, and possible copies of the same requests. */
import type { CatalogEntry } from "./catalog-entry.ts";

export class RelatedSessions {
  readonly #children = new Map<string, string[]>();
  /** Most keys belong to one session; a list per key would dominate the running time. */
  readonly #byKey = new Map<string, string | string[]>();
  readonly #forks = new Map<string, string[]>();
  readonly #entries: ReadonlyMap<string, CatalogEntry>;

  constructor(entries: ReadonlyMap<string, CatalogEntry>) {
    this.#entries = entries;
    for (const [id, { head }] of entries) {
      const { parentId, forkedFrom, familyKeys } = head;
      if (parentId !== undefined && parentId !== id) push(this.#children, parentId, id);
      if (forkedFrom !== undefined) push(this.#forks, forkedFrom, id);
      for (const key of familyKeys ?? []) this.#addKey(key, id);
    }
  }

  #addKey(key: string, id: string): void {
    const known = this.#byKey.get(key);
    if (known === undefined) this.#byKey.set(key, id);
    else if (typeof known === "string") this.#byKey.set(key, [known, id]);
    else known.push(id);
  }

  /** Shares no key, and is neither a fork nor a parent of one. */
  isAlone(id: string): boolean {
    const head = this.#entries.get(id)?.head;
    if (head?.forkedFrom !== undefined || this.#forks.has(id)) return false;
    return head?.familyKeys?.every((key) => this.#byKey.get(key) === id) ?? true;
  }

  children(id: string): readonly string[] {
    return this.#children.get(id) ?? [];
  }

  /** Sessions of sub-agents at any depth. */
  descendants(id: string): ReadonlySet<string> {
    if (!this.#children.has(id)) return NOBODY;
    const found = new Set<string>();
    const queue = [...this.children(id)];
    for (let child = queue.pop(); child !== undefined; child = queue.pop()) {
      if (found.has(child) || child === id) continue;
      found.add(child);
      for (const grandchild of this.children(child)) queue.push(grandchild);
    }
    return found;
  }

  /** These sessions, possible holders of copies of their requests, and sessions of their sub-agents, transitively. */
  relatives(ids: Iterable<string>): Set<string> {
    const found = new Set(ids);
    const keys = new Set<string>();
    // Iterating a set includes members added during the iteration.
    for (const id of found) {
      for (const child of this.children(id)) found.add(child);
      this.#addCopies(id, found, keys);
    }
    return found;
  }

  /** Sessions that share a key with this one, transitively. */
  family(id: string): Set<string> {
    const found = new Set([id]);
    const keys = new Set<string>();
    for (const member of found) this.#addCopies(member, found, keys);
    return found;
  }

  /** Each key once: thousands of sessions may share one. */
  #addCopies(id: string, found: Set<string>, keys: Set<string>): void {
    const head = this.#entries.get(id)?.head;
    if (head === undefined) return;
    this.#addForks(id, found, keys);
    if (head.forkedFrom !== undefined) this.#addForks(head.forkedFrom, found, keys);
    for (const key of head.familyKeys ?? []) {
      const sharing = this.#byKey.get(key)!;
      if (typeof sharing === "string" || keys.has(key)) continue;
      keys.add(key);
      for (const other of sharing) found.add(other);
    }
  }

  /** A session and all its forks. */
  #addForks(id: string, found: Set<string>, keys: Set<string>): void {
    const forks = this.#forks.get(id);
    const key = `session:${id}`;
    if (forks === undefined || keys.has(key)) return;
    keys.add(key);
    if (this.#entries.has(id)) found.add(id);
    for (const fork of forks) found.add(fork);
  }
}

const NOBODY: ReadonlySet<string> = new Set();

function push(map: Map<string, string[]>, key: string, value: string): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
