/** A virtual list with rows of any height. The visible rows keep their position when heights change. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Heights } from "./heights.ts";

const OVERSCAN_PX = 600;
const AT_END_PX = 60;
/** The last row of a page is the first of the next. */
const OVERLAP_PX = 40;
const PAGES: Readonly<Record<string, number>> = { PageDown: 1, PageUp: -1 };

export interface VirtualListHandle {
  scrollTo(index: number): void;
  scrollToEnd(): void;
  /** The first visible row. */
  readonly first: number;
}

export interface VirtualListProps {
  count: number;
  guess: number;
  label: string;
  /** The rows' ARIA role. */
  role?: "feed" | "rowgroup" | "group";
  /** Must be a stable function: rows are rendered again only when it changes, not while scrolling. */
  render(index: number): ComponentChildren;
  /** Stays at the end while rows are appended. */
  follow: boolean;
  onAtEnd?(atEnd: boolean): void;
  handle: { current: VirtualListHandle | null };
}

export function VirtualList(props: VirtualListProps): JSX.Element {
  const { count, guess, label, role = "feed", render, follow, onAtEnd, handle } = props;
  const box = useRef<HTMLDivElement>(null);
  const heights = useMemo(() => new Heights(guess), []);
  /** Incremented to trigger a layout. */
  const version = useSignal(0);
  /** The anchor row and its last known top. */
  const anchor = useRef({ index: 0, offset: 0 });
  const state = useRef({ follow });
  state.current.follow = follow;
  /** End was pressed and nothing else was scrolled to since: rows that come later move the end. */
  const isEndWanted = useRef(false);
  const laidOut = useRef(0);
  heights.resize(count);

  const element = box.current;
  const top = element?.scrollTop ?? 0;
  const room = element?.clientHeight ?? 1000;
  const from = heights.at(Math.max(0, top - OVERSCAN_PX));
  const to = Math.min(count, heights.at(top + room + OVERSCAN_PX) + 1);
  void version.value;

  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        let changed = false;
        for (const { target } of entries) {
          const index = Number((target as HTMLElement).dataset["index"]);
          const height = (target as HTMLElement).offsetHeight;
          if (height > 0 && index < heights.count && heights.set(index, height) !== 0) changed = true;
        }
        if (changed) version.value++;
      }),
    [],
  );
  useEffect(() => () => observer.disconnect(), []);

  useLayoutEffect(() => {
    const { current } = box;
    if (current === null) return;
    const isLonger = count > laidOut.current;
    laidOut.current = count;
    if (state.current.follow) {
      current.scrollTop = current.scrollHeight;
      return;
    }
    if (isEndWanted.current && isLonger) return handle.current?.scrollToEnd();
    const offset = heights.offset(anchor.current.index);
    const moved = offset - anchor.current.offset;
    anchor.current.offset = offset;
    // Scrolls by the difference, not to a position: the user may be scrolling right now.
    if (moved !== 0) current.scrollTop += moved;
  });

  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    const sized = new ResizeObserver(() => version.value++);
    sized.observe(current);
    return () => sized.disconnect();
  }, []);

  handle.current = {
    scrollTo(index) {
      anchor.current = { index, offset: heights.offset(index) };
      state.current.follow = false;
      isEndWanted.current = false;
      box.current!.scrollTop = heights.offset(index) - 8;
      version.value++;
    },
    scrollToEnd() {
      const last = Math.max(0, heights.count - 1);
      anchor.current = { index: last, offset: heights.offset(last) };
      isEndWanted.current = true;
      box.current!.scrollTop = box.current!.scrollHeight;
      version.value++;
    },
    get first() {
      return heights.at((box.current?.scrollTop ?? 0) + 12);
    },
  };

  const onScroll = (): void => {
    const { current } = box;
    // The event comes after the scrolling: the list may have been left.
    if (current === null) return;
    const index = heights.at(current.scrollTop);
    anchor.current = { index, offset: heights.offset(index) };
    const isAtEnd = current.scrollHeight - current.scrollTop - current.clientHeight < AT_END_PX;
    isEndWanted.current &&= isAtEnd;
    onAtEnd?.(isAtEnd);
    version.value++;
  };

  // The browser's own Home and End scroll smoothly through rows that are not measured yet.
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "End") handle.current?.scrollToEnd();
    else if (event.key === "Home") handle.current?.scrollTo(0);
    else return;
    event.preventDefault();
  };

  // With the first rows, not after them: the list is read by keys as soon as it is there.
  useLayoutEffect(() => {
    const onElsewhere = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || !isForNobody(event)) return;
      const pages = PAGES[event.key];
      if (pages === undefined) return onKeyDown(event);
      const current = box.current!;
      current.scrollTop += pages * (current.clientHeight - OVERLAP_PX);
      event.preventDefault();
    };
    document.addEventListener("keydown", onElsewhere);
    return () => document.removeEventListener("keydown", onElsewhere);
  }, []);

  const rows: JSX.Element[] = [];
  for (let index = from; index < to; index++)
    rows.push(<Row key={index} index={index} observer={observer} render={render} />);
  return (
    <div
      class="virtual"
      ref={box}
      role={role}
      aria-label={label}
      aria-busy="false"
      tabIndex={0}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <div class="virtual-space" style={{ height: `${heights.total}px` }}>
        <div class="virtual-rows" style={{ transform: `translateY(${heights.offset(from)}px)` }}>
          {rows}
        </div>
      </div>
    </div>
  );
}

/** Scrolling keys work before anything in the list has the focus. */
function isForNobody({ target, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  if (target !== document.body || ctrlKey || metaKey || altKey || shiftKey) return false;
  return document.querySelector("dialog[open]") === null;
}

interface RowProps {
  index: number;
  observer: ResizeObserver;
  render(index: number): ComponentChildren;
}

function Row({ index, observer, render }: RowProps): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    observer.observe(current);
    return () => observer.unobserve(current);
  }, []);
  const content = useMemo(() => render(index), [render, index]);
  return (
    <div ref={element} data-index={index}>
      {content}
    </div>
  );
}
