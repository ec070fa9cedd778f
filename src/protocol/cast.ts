/** Reads and writes asciicasts (version 2): a header, then an event per line. */

export interface CastEvent {
  /** Seconds since the start. */
  at: number;
  /** `o` output, `r` a new size, `m` a marker. */
  kind: "o" | "r" | "m";
  text: string;
}

export interface CastHeader {
  width: number;
  height: number;
  /** Unix seconds. */
  timestamp?: number;
}

export interface Cast {
  header: CastHeader;
  events: CastEvent[];
}

const MAX_SIZE = 10_000;

/** Undefined without a header. Lines that are no events, such as a last one cut off, are left out. */
export function parseCast(text: string): Cast | undefined {
  const [first = "", ...lines] = text.split("\n");
  const { version, width, height, timestamp } = Object(parsed(first)) as Record<string, unknown>;
  if (version !== 2 || !isSize(width) || !isSize(height)) return undefined;
  const events: CastEvent[] = [];
  for (const line of lines) {
    const event = eventOf(parsed(line), events.at(-1)?.at ?? 0);
    if (event !== undefined) events.push(event);
  }
  return {
    header: { width, height, ...(Number.isSafeInteger(timestamp) ? { timestamp: timestamp as number } : {}) },
    events,
  };
}

export function* castLines({ header, events }: Cast): Generator<string> {
  yield `${JSON.stringify({ version: 2, ...header })}\n`;
  for (const { at, kind, text } of events) yield `${JSON.stringify([at, kind, text])}\n`;
}

/** The size in an `r` event. */
export function sizeIn(text: string): { cols: number; rows: number } | undefined {
  const [, cols, rows] = /^(\d{1,5})x(\d{1,5})$/.exec(text) ?? [];
  return isSize(Number(cols)) && isSize(Number(rows)) ? { cols: Number(cols), rows: Number(rows) } : undefined;
}

/** Time never goes back. */
function eventOf(value: unknown, before: number): CastEvent | undefined {
  if (!Array.isArray(value)) return undefined;
  const [at, kind, text] = value as unknown[];
  const isKnown =
    kind === "o" || kind === "m" || (kind === "r" && typeof text === "string" && sizeIn(text) !== undefined);
  if (!isKnown || typeof text !== "string" || typeof at !== "number" || !Number.isFinite(at)) return undefined;
  return { at: Math.max(at, before), kind, text };
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= MAX_SIZE;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
