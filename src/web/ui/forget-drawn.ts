/**
 * What Preact 11.2.0 keeps of what it drew before. A component that draws itself again does so on a copy of its node; the
 * first one stays where its parent mentioned it, and with it everything it had drawn, each row of which knows the row
 * after it. In a page that is open all day and whose list never stops changing that is every row ever drawn. The version
 * is pinned; a browser test holds it.
 */
import { options } from "preact";

/** A node as far as it is looked at; the names are those of the published library. */
interface DrawnNode {
  /** What it has drawn. */
  __k?: unknown;
  /** Its component, which knows the node it was drawn on last. */
  __c?: { __v?: DrawnNode } | null;
}

export function forgetWhatWasDrawn(): void {
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
