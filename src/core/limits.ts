/** Usage limits of an account, as an agent reports them. Never estimated. */

/** One window: how much of it is used, and when it resets. */
export interface LimitWindow {
  /** `5h`, `7d`, or with what it is for: `7d opus`. */
  window: string;
  minutes?: number;
  /** Can exceed 100. */
  usedPercent: number;
  /** Milliseconds since the epoch. */
  resetsAt?: number;
}

/** What an agent passes to its status line. */
export interface StatusLine {
  session?: string;
  cwd?: string;
  model?: string;
  contextPercent?: number;
  /** In tokens. */
  contextSize?: number;
  costUsd?: number;
  limits: LimitWindow[];
}

const HOUR = 60;
const DAY = 24 * HOUR;

const ROUNDED_SHARE = 0.01;

/** `5h`, `7d`, `90m`. Some services say 299 or 10079 minutes. */
export function windowName(minutes: number): string {
  const isNearly = (unit: number): boolean =>
    Math.abs(Math.round(minutes / unit) * unit - minutes) <= ROUNDED_SHARE * minutes;
  if (isNearly(DAY)) return `${Math.round(minutes / DAY)}d`;
  return isNearly(HOUR) ? `${Math.round(minutes / HOUR)}h` : `${Math.round(minutes)}m`;
}

/** `2h10m`, `3d4h`, `12m`: two units at most. */
export function timeLeft(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  const [days, hours, rest] = [Math.floor(minutes / DAY), Math.floor((minutes % DAY) / HOUR), minutes % HOUR];
  if (days > 0) return hours === 0 ? `${days}d` : `${days}d${hours}h`;
  if (hours > 0) return rest === 0 ? `${hours}h` : `${hours}h${rest}m`;
  return `${rest}m`;
}

/** A service that says in how many seconds it resets gives times that differ a little. */
const SAME_RESET_MS = 60_000;

export function isSameReset(a: number | undefined, b: number | undefined): boolean {
  return a === undefined || b === undefined ? a === b : Math.abs(a - b) <= SAME_RESET_MS;
}

/** The limits of an account at one moment. */
export interface LimitReading {
  /** Milliseconds since the epoch. */
  at: number;
  agent: string;
  /** As the agent names it: an address or an id. */
  account?: string;
  plan?: string;
  /** The agent's own session that got the figures. */
  session?: string;
  cwd?: string;
  windows: LimitWindow[];
  /** A request was refused because of a limit. */
  refusal?: Refusal;
}

export interface Refusal {
  /** The window as the agent names it; absent if it does not say. */
  kind?: string;
  /** Milliseconds since the epoch. */
  resetsAt?: number;
}

/** A refusal with who got it and when. */
export interface LimitRefused extends Refusal, Pick<LimitReading, "at" | "agent" | "account" | "session"> {}
