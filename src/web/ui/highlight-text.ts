/** Highlights a text inside an element without changing the DOM. */

const NAME = "found";
/** Limits the number of highlights. */
const MOST = 2000;

/** Updates the highlights while the element changes; returns a function that removes them. */
export function highlightText(element: HTMLElement, text: string): () => void {
  // Older browsers show the matching message without highlights.
  if (text === "" || !("highlights" in CSS)) return () => undefined;
  let frame = 0;
  const mark = (): void => {
    frame = 0;
    CSS.highlights.set(NAME, marksOf(element, text.toLowerCase()));
  };
  const observer = new MutationObserver(() => (frame ||= requestAnimationFrame(mark)));
  observer.observe(element, { childList: true, subtree: true, characterData: true });
  mark();
  return () => {
    observer.disconnect();
    cancelAnimationFrame(frame);
    CSS.highlights.delete(NAME);
  };
}

function marksOf(element: HTMLElement, wanted: string): Highlight {
  const marks = new Highlight();
  // Above the colours of code.
  marks.priority = 1;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (marks.size < MOST && walker.nextNode() !== null) {
    const node = walker.currentNode as Text;
    const text = node.data.toLowerCase();
    // Skips text whose lower case has another length, because offsets would shift.
    if (text.length !== node.data.length) continue;
    for (let at = text.indexOf(wanted); at >= 0 && marks.size < MOST; at = text.indexOf(wanted, at + wanted.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      marks.add(range);
    }
  }
  return marks;
}
