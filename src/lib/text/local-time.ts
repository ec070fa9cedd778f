/** Moments as people read them: local, with a year only where it is not this one. */

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `15 Nov`, or `15 Nov 2025`. */
export function localDay(date: Date, now = new Date()): string {
  if (Number.isNaN(date.getTime())) return "?";
  const day = `${date.getDate()} ${MONTHS[date.getMonth()]!}`;
  return date.getFullYear() === now.getFullYear() ? day : `${day} ${date.getFullYear()}`;
}

/** `15 Nov 14:03`, or `15 Nov 2025 14:03`. */
export function localTime(date: Date, now = new Date()): string {
  const day = localDay(date, now);
  return day === "?" ? day : `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `15 Nov 14:03:05`, to tell events of one minute apart. */
export function localSecond(date: Date, now = new Date()): string {
  const minute = localTime(date, now);
  return minute === "?" ? minute : `${minute}:${two(date.getSeconds())}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
