/**
 * Works around a leak in Preact 11.2.0: a rerendered component keeps its first vnode, and with it every row that it
 * ever rendered. The version is pinned, and a browser test covers this.
 */
import { options } from "preact";

/** The fields of a vnode used here, by their mangled names. */
interface DrawnNode {
  /** Its children. */
  __k?: unknown;
  /** Its component, which refers to the vnode rendered last. */
  __c?: { __v?: DrawnNode } | null;
}

export function releaseOldRows(): void {
  const before = new WeakMap<object, DrawnNode>();
  const { vnode: made, diffed: drawn } = options;
  options.vnode = (node) => {
    const last = (node as DrawnNode).__c?.__v;
    if (last !== undefined && last !== (node as DrawnNode)) before.set(node, last);
    made?.(node);
  };
  options.diffed = (node) => {
    drawn?.(node);
    const last = before.get(node);
    if (last === undefined) return;
    before.delete(node);
    last.__k = null;
  };
}
