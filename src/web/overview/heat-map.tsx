/** Sessions by day, a square for each. */
import type { JSX } from "preact";
import { plural } from "../ui/figures.ts";
import { dayOf } from "../ui/times.ts";

const DAY_MS = 86_400_000;
const WEEKS = 52;
const LEVELS = 4;

export function HeatMap({ days }: { days: readonly string[] }): JSX.Element {
  const counts = new Map<string, number>();
  for (const at of days) {
    const day = dayOf(new Date(at));
    counts.set(day, (counts.get(day) ?? 0) + 1);
  }
  const most = Math.max(1, ...counts.values());
  const today = new Date();
  // The last column is this week; weeks begin on Monday.
  const total = (WEEKS - 1) * 7 + ((today.getDay() + 6) % 7) + 1;
  const squares = Array.from({ length: total }, (_, index) => {
    const day = dayOf(new Date(today.getTime() - (total - 1 - index) * DAY_MS));
    const count = counts.get(day) ?? 0;
    return { day, count, level: count === 0 ? 0 : Math.ceil((LEVELS * count) / most) };
  });
  return (
    <div class="heat" role="img" aria-label={`Sessions by day: ${plural(days.length, "session")} in all`}>
      {squares.map(({ day, count, level }) => (
        <span key={day} class={`level-${level}`} title={`${day}: ${plural(count, "session")}`} />
      ))}
    </div>
  );
}
