/** Marks a text wherever it is visible inside an element, without touching what is drawn there. */

const NAME = "found";
/** More marks than fit on a screen help nobody. */
const MOST = 2000;

/** Keeps the marks right while the element changes; the answer takes them away. */
export function highlightText(element: HTMLElement, text: string): () => void {
  // Older browsers show the message that was found, only not where in it.
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
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (marks.size < MOST && walker.nextNode() !== null) {
    const node = walker.currentNode as Text;
    const text = node.data.toLowerCase();
    // A letter whose small form is longer would shift the places.
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
