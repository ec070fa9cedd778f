/** Views side by side, with dividers to drag or to move by keys. Two are columns; the third and fourth make two rows. */
import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";
import { isNarrow, paneSizes } from "../state/preferences.ts";

const MIN_PERCENT = 15;
const MAX_PERCENT = 85;
const STEP = 2;
const MIDDLE = 50;

export interface SplitPanesProps {
  /** Sizes are kept under this name. */
  name: "sessions" | "terminals";
  /** The class of each pane. */
  cell: string;
  panes: readonly { key: string; content: ComponentChildren }[];
}

export function SplitPanes({ name, cell, panes }: SplitPanesProps): JSX.Element {
  const count = panes.length;
  const column = sizeOf(`${name}-column`);
  const row = sizeOf(`${name}-row`);
  // On a phone they are one below the other.
  const hasColumns = count > 1 && !isNarrow.value;
  const hasRows = hasColumns && (count === 3 || count === 4);
  const style = {
    ...(hasColumns ? { gridTemplateColumns: shares(column) } : {}),
    ...(hasRows ? { gridTemplateRows: shares(row) } : {}),
  };
  return (
    <div class={`panes of-${Math.min(count, 4)}`} style={style}>
      {panes.map(({ key, content }) => (
        <div key={key} class={cell}>
          {content}
        </div>
      ))}
      {hasColumns ? <Divider size={`${name}-column`} direction="vertical" style={{ left: `${column}%` }} /> : null}
      {hasRows ? (
        <Divider
          size={`${name}-row`}
          direction="horizontal"
          style={{ top: `${row}%`, left: count === 3 ? `${column}%` : "0" }}
        />
      ) : null}
    </div>
  );
}

function shares(percent: number): string {
  return `minmax(0, ${percent}fr) minmax(0, ${100 - percent}fr)`;
}

function sizeOf(size: string): number {
  return limited(paneSizes.value[size] ?? MIDDLE);
}

function limited(percent: number): number {
  return Number.isFinite(percent)
    ? Math.min(MAX_PERCENT, Math.max(MIN_PERCENT, Math.round(percent * 10) / 10))
    : MIDDLE;
}

interface DividerProps {
  size: string;
  direction: "vertical" | "horizontal";
  style: Record<string, string>;
}

function Divider({ size, direction, style }: DividerProps): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const isVertical = direction === "vertical";
  const now = sizeOf(size);
  const set = (percent: number): void => void (paneSizes.value = { ...paneSizes.value, [size]: limited(percent) });
  const onPointerMove = (event: PointerEvent): void => {
    if (!element.current!.hasPointerCapture(event.pointerId)) return;
    const { left, top, width, height } = element.current!.parentElement!.getBoundingClientRect();
    set(isVertical ? ((event.clientX - left) / width) * 100 : ((event.clientY - top) / height) * 100);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const back = isVertical ? "ArrowLeft" : "ArrowUp";
    const forth = isVertical ? "ArrowRight" : "ArrowDown";
    const next = { [back]: now - STEP, [forth]: now + STEP, Home: MIN_PERCENT, End: MAX_PERCENT, Enter: MIDDLE };
    const percent = next[event.key];
    if (percent === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    set(percent);
  };
  return (
    <div
      ref={element}
      class={`divider ${direction}`}
      style={style}
      role="separator"
      tabIndex={0}
      title="Drag, or use the arrow keys; double-click for the middle"
      aria-label={isVertical ? "Width of the left side" : "Height of the upper row"}
      aria-orientation={direction}
      aria-valuemin={MIN_PERCENT}
      aria-valuemax={MAX_PERCENT}
      aria-valuenow={Math.round(now)}
      onPointerDown={(event) => {
        event.preventDefault();
        element.current!.setPointerCapture(event.pointerId);
      }}
      onPointerMove={onPointerMove}
      onDblClick={() => set(MIDDLE)}
      onKeyDown={onKeyDown}
    />
  );
}
