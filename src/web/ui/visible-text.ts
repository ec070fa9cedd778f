/**
 * Control and bidirectional characters of messages, names, arguments and titles are shown as escapes: every text of the page
 * passes here when it is drawn, so that no view can forget it.
 */
import { options, type VNode } from "preact";
import { visibleControls } from "../../core/visible-text.ts";

/** What a browser shows of an element beside its text. */
const SHOWN_ATTRIBUTES = ["title", "aria-label", "alt", "placeholder", "label"];

export function showControls(): void {
  const before = options.vnode;
  options.vnode = (vnode) => {
    const drawn = vnode as unknown as { type: unknown; props: unknown };
    // A text among an element's children has no type, and is its own properties.
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
