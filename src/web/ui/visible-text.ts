/**
 * Shows control and bidirectional characters as escapes. All text passes through here when it is rendered, so no view
 * can forget it.
 */
import { options, type VNode } from "preact";
import { visibleControls } from "../../core/visible-text.ts";

/** Attributes that a browser shows as text. */
const SHOWN_ATTRIBUTES = ["title", "aria-label", "alt", "placeholder", "label"];

export function showControls(): void {
  const before = options.vnode;
  options.vnode = (vnode) => {
    const drawn = vnode as unknown as { type: unknown; props: unknown };
    // A text vnode has no type, and its props are the text.
    if (typeof drawn.props === "string") drawn.props = visibleControls(drawn.props);
    else if (typeof drawn.type === "string") cleanAttributes(vnode as VNode<Record<string, unknown>>);
    before?.(vnode);
  };
}

function cleanAttributes({ props }: VNode<Record<string, unknown>>): void {
  for (const name of SHOWN_ATTRIBUTES) {
    const value = props[name];
    if (typeof value === "string") props[name] = visibleControls(value);
  }
}
