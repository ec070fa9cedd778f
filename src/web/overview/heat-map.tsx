/** A heat map of activity, one square per day. */
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Overview } from "../../protocol/history-api.ts";
import { money, plural } from "../ui/figures.ts";
import { dayOf } from "../ui/times.ts";

const DAY_MS = 86_400_000;
const WEEKS = 52;
const LEVELS = 4;

type Day = Overview["days"][number];

export function HeatMap({ days }: { days: readonly Day[] }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  // Where it is too wide, the newest weeks are shown.
  useLayoutEffect(() => {
    box.current!.scrollLeft = box.current!.scrollWidth;
  }, []);
  const known = new Map(days.map((day) => [day.day, day]));
  const most = Math.max(1, ...days.map(({ sessions }) => sessions));
  const today = new Date();
  // The last column is the current week; weeks begin on Monday.
  const total = (WEEKS - 1) * 7 + ((today.getDay() + 6) % 7) + 1;
  const squares = Array.from({ length: total }, (_, index) => {
    const day = dayOf(new Date(today.getTime() - (total - 1 - index) * DAY_MS));
    const told = known.get(day);
    return { day, told, level: told === undefined ? 0 : Math.ceil((LEVELS * told.sessions) / most) };
  });
  const active = squares.filter(({ told }) => told !== undefined).length;
  return (
    <div
      ref={box}
      class="heat"
      role="img"
      aria-label={`Activity by day: something happened on ${plural(active, "day")}`}
    >
      {squares.map(({ day, told, level }) => (
        <span key={day} class={`level-${level}`} title={wordsOf(day, told)} />
      ))}
    </div>
  );
}

function wordsOf(day: string, told: Day | undefined): string {
  if (told === undefined) return `${day}: nothing`;
  const { sessions, requests, usd } = told;
  const spent = requests === 0 ? "" : `, ${plural(requests, "request")}, ${money(usd)}`;
  return `${day}: ${plural(sessions, "session")}${spent}`;
}
