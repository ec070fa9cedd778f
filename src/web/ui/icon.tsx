/** Line icons. They are hidden from screen readers; their control has the label. */
import type { JSX } from "preact";

const PATHS = {
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6L6 18",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.5 4.5",
  chart: "M4 20V4M4 20h16M8 16v-5M12 16V8M16 16v-3",
  grid: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  list: "M4 6h3M10 6h10M4 12h3M10 12h10M4 18h3M10 18h10",
  more: "M5 12h.5M11.75 12h.5M18.5 12h.5",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  chevron: "M9 6l6 6-6 6",
  back: "M15 6l-6 6 6 6",
  pin: "M12 17v5M8 3h8l-1 7 3 4H6l3-4z",
  play: "M7 4.5v15l12-7.5z",
  fork: "M6 3v12M18 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM6 21a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM18 9c0 6-12 3-12 9",
  terminal: "M4 5h16v14H4zM7 9l3 3-3 3M12 15h5",
  text: "M4 6h16M4 11h16M4 16h10",
  compare: "M4 4h7v16H4zM13 4h7v16h-7",
  download: "M12 4v11M7 11l5 5 5-5M4 20h16",
  share: "M12 15V4M8 8l4-4 4 4M5 12v8h14v-8",
  pencil: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  split: "M4 4h16v16H4zM12 4v16",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M4 12H2M22 12h-2M5 5l1.5 1.5M17.5 17.5L19 19M5 19l1.5-1.5M17.5 6.5L19 5",
  moon: "M20 14a8 8 0 1 1-10-10 7 7 0 0 0 10 10z",
  bell: "M6 16V11a6 6 0 1 1 12 0v5l2 2H4zM10 21h4",
  lock: "M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3",
  question: "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 18h.01",
  alert: "M12 4l9 16H3zM12 10v4M12 17h.01",
  check: "M5 12.5l4.5 4.5L19 7",
  later: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4l3 2",
  stop: "M7 7h10v10H7z",
  refresh: "M20 12a8 8 0 1 1-2.5-5.8M20 3v5h-5",
  down: "M12 5v14M6 13l6 6 6-6",
  up: "M12 19V5M6 11l6-6 6 6",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }): JSX.Element {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
