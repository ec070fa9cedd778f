/**
 * Colours code without changing its elements, so that find and copy see the plain text. The highlighter is loaded when the
 * first code is shown.
 */
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

/** Longer code stays plain: colouring it would block the page. */
const MAX_CHARACTERS = 20_000;

let loading: Promise<typeof import("../../screen/syntax.ts") | undefined> | undefined;

/** Colours each line element of a block, or all of it. `skip` is the length of a line's sign. */
export function useCodeColours(
  block: RefObject<HTMLElement | null>,
  text: string,
  language: string,
  lines?: { selector: string; skip: number },
): void {
  useEffect(() => {
    // Older browsers show plain code.
    if (language === "" || text.length > MAX_CHARACTERS || !("highlights" in CSS)) return undefined;
    let remove: (() => void) | undefined;
    let isLeft = false;
    // Without the highlighter, the code is plain.
    loading ??= import("../../screen/syntax.ts").catch(() => void (loading = undefined));
    void loading.then((syntax) => {
      if (isLeft || syntax === undefined || block.current === null) return;
      const parts = lines === undefined ? [block.current] : block.current.querySelectorAll<HTMLElement>(lines.selector);
      remove = colour(syntax, [...parts], language, lines?.skip ?? 0);
    });
    return () => {
      isLeft = true;
      remove?.();
    };
  }, [text, language]);
}

function colour(
  { stretchesOf }: typeof import("../../screen/syntax.ts"),
  parts: readonly HTMLElement[],
  language: string,
  skip: number,
): () => void {
  const added: [Highlight, StaticRange][] = [];
  for (const { firstChild: node } of parts) {
    if (!(node instanceof Text)) continue;
    for (const stretch of stretchesOf(node.data.slice(skip), language) ?? []) {
      const range = new StaticRange({
        startContainer: node,
        startOffset: stretch.start + skip,
        endContainer: node,
        endOffset: stretch.end + skip,
      });
      const highlight = highlightOf(`code-${stretch.colour}`);
      highlight.add(range);
      added.push([highlight, range]);
    }
  }
  return () => {
    for (const [highlight, range] of added) highlight.delete(range);
  };
}

function highlightOf(name: string): Highlight {
  const known = CSS.highlights.get(name);
  if (known !== undefined) return known;
  const highlight = new Highlight();
  CSS.highlights.set(name, highlight);
  return highlight;
}
