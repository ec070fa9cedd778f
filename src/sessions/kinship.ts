/** Who descends from whom, and who may hold copies of the same requests. */
import type { SessionHead } from "../agents/adapter.ts";
import type { CatalogEntry } from "./catalog.ts";

export class Kinship {
  readonly #children = new Map<string, string[]>();
  readonly #byKey = new Map<string, string[]>();
  readonly #entries: ReadonlyMap<string, CatalogEntry>;

  constructor(entries: ReadonlyMap<string, CatalogEntry>) {
    this.#entries = entries;
    for (const [id, { head }] of entries) {
      if (head.parentId !== undefined && head.parentId !== id) push(this.#children, head.parentId, id);
      for (const key of familyKeys(id, head)) push(this.#byKey, key, id);
    }
  }

  children(id: string): readonly string[] {
    return this.#children.get(id) ?? [];
  }

  /** Sub-agents' sessions at any depth. */
  descendants(id: string): Set<string> {
    const found = new Set<string>();
    const queue = [...this.children(id)];
    for (let child = queue.pop(); child !== undefined; child = queue.pop()) {
      if (found.has(child) || child === id) continue;
      found.add(child);
      for (const grandchild of this.children(child)) queue.push(grandchild);
    }
    return found;
  }

  /** These sessions, what may hold copies of their requests, their sub-agents' sessions, and so on for those. */
  relatives(ids: Iterable<string>): Set<string> {
    const found = new Set(ids);
    const keys = new Set<string>();
    // A set is walked on over what is added to it meanwhile.
    for (const id of found) {
      for (const child of this.children(id)) found.add(child);
      this.#addCopies(id, found, keys);
    }
    return found;
  }

  /** Sessions that share a key with this one, or with one that does. */
  family(id: string): Set<string> {
    const found = new Set([id]);
    const keys = new Set<string>();
    for (const member of found) this.#addCopies(member, found, keys);
    return found;
  }

  /** Each key once: thousands of sessions may share one. */
  #addCopies(id: string, found: Set<string>, keys: Set<string>): void {
    const entry = this.#entries.get(id);
    for (const key of entry ? familyKeys(id, entry.head) : []) {
      if (keys.has(key)) continue;
      keys.add(key);
      for (const other of this.#byKey.get(key) ?? []) found.add(other);
    }
  }
}

function familyKeys(id: string, head: SessionHead): string[] {
  return [
    `session:${id}`,
    ...(head.forkedFrom !== undefined ? [`session:${head.forkedFrom}`] : []),
    ...(head.familyKeys ?? []),
  ];
}

function push(map: Map<string, string[]>, key: string, value: string): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
