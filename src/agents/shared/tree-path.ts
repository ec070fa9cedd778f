/** The structure of a JSONL tree without its contents: its entries, and which of them are the conversation. */
import type { MessageRole } from "../../core/session.ts";
import { isBeside, type TreeEntry } from "./tree-format.ts";

/** The index data of an entry; `place` locates its record. */
export interface TreeNode<Place> {
  id: string;
  parentId: string | null;
  at: number | undefined;
  place: Place;
  /** Model in use after this entry, on this branch. */
  model: string | undefined;
  /** Roles of this entry's messages. */
  roles: readonly MessageRole[];
}

export class EntryTree<Place> {
  readonly nodes: TreeNode<Place>[] = [];
  readonly #byId = new Map<string, number>();
  #leaf = -1;

  add(entry: TreeEntry, node: Omit<TreeNode<Place>, "id" | "parentId" | "at">): void {
    // As in Pi, the later of two entries with the same id wins.
    this.#byId.set(entry.id, this.nodes.length);
    if (!isBeside(entry)) this.#leaf = this.nodes.length;
    this.nodes.push({ id: entry.id, parentId: entry.parentId ?? null, at: entry.at, ...node });
  }

  /** The entry with this id so far. */
  get(id: string | null | undefined): TreeNode<Place> | undefined {
    const index = id == null ? undefined : this.#byId.get(id);
    return index === undefined ? undefined : this.nodes[index];
  }

  /** Root to leaf as the agent loads it: the last entry of the file is the leaf, of any type. */
  activePath(): TreeNode<Place>[] {
    return this.#pathTo(this.#leaf);
  }

  /** Root to leaf by the documented rule: the newest child at each fork. */
  newestPath(): TreeNode<Place>[] {
    const children = new Map<number, number>();
    for (let index = 0; index < this.nodes.length; index++) {
      const parent = this.#parentIndex(index) ?? -1;
      const best = children.get(parent);
      if (best === undefined || timeOf(this.nodes[index]!) >= timeOf(this.nodes[best]!)) children.set(parent, index);
    }
    let leaf = children.get(-1);
    const seen = new Set<number>();
    for (let next = leaf; next !== undefined && !seen.has(next); next = children.get(next)) {
      seen.add(next);
      leaf = next;
    }
    return leaf === undefined ? [] : this.#pathTo(leaf);
  }

  #pathTo(leaf: number): TreeNode<Place>[] {
    const path: TreeNode<Place>[] = [];
    // Parents come from the file, so they may form a cycle.
    const seen = new Set<number>();
    for (let index: number | undefined = leaf; index !== undefined && index >= 0 && !seen.has(index);) {
      seen.add(index);
      path.push(this.nodes[index]!);
      index = this.#parentIndex(index);
    }
    return path.reverse();
  }

  /**
   * A missing parent was on a damaged line, or was a label that a fork omitted without relinking. In both cases the conversation
   * continues from the previous entry.
   */
  #parentIndex(index: number): number | undefined {
    const { parentId } = this.nodes[index]!;
    if (parentId === null) return undefined;
    return this.#byId.get(parentId) ?? (index > 0 ? index - 1 : undefined);
  }
}

function timeOf(node: TreeNode<unknown>): number {
  return node.at ?? 0;
}
