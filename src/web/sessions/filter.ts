/** The filter of the table: words and `field:value` terms, all of which must match. A minus excludes. */
import { baseName } from "../ui/figures.ts";
import { dayOf } from "../ui/times.ts";
import type { SessionRow } from "./rows.ts";

type Test = (row: SessionRow) => boolean;
type Filter = { matches: Test } | { problem: string };

const TOKEN = /(-?)(?:([a-z]+):)?(?:"([^"]*)"|(\S+))/g;
const AGO = /^(\d{1,4})(h|d|w|mo|y)$/;
const HOURS = { h: 1, d: 24, w: 168, mo: 720, y: 8760 };
const HOUR_MS = 3_600_000;

/** Fields with text values; the table also offers them in a menu. */
export const TEXT_FIELDS = ["agent", "model", "project", "branch", "tag", "state", "machine"] as const;
export type TextField = (typeof TEXT_FIELDS)[number];

export function valuesOf(row: SessionRow, field: TextField): readonly string[] {
  if (field === "tag") return row.tags;
  if (field === "state") return row.isRunning ? [row.state, "running"] : [row.state];
  return [row[field]];
}

export function filterOf(text: string, now = Date.now()): Filter {
  const tests: Test[] = [];
  for (const [whole, minus, field, quoted, bare] of text.matchAll(TOKEN)) {
    const value = (quoted ?? bare ?? "").toLowerCase();
    const test = testOf(field, value, now) ?? wordTest(whole.replace(/^-/, "").replaceAll('"', "").toLowerCase());
    if (typeof test === "string") return { problem: test };
    tests.push(minus === "-" ? (row) => !test(row) : test);
  }
  return { matches: (row) => tests.every((test) => test(row)) };
}

/** An error for a value that cannot be parsed; undefined for an unknown field. */
function testOf(field: string | undefined, value: string, now: number): Test | string | undefined {
  const texts = TEXT_FIELDS.find((name) => name === field);
  if (texts !== undefined) return (row) => valuesOf(row, texts).some((own) => own.toLowerCase().includes(value));
  switch (field) {
    case "cost":
      return numberTest("cost", value.replace("$", ""), ({ usd }) => usd);
    case "turns":
      return numberTest("turns", value, ({ turns }) => turns);
    case "after":
    case "before": {
      const at = dateOf(value, now);
      if (at === undefined) return `${field}: takes a date like 2026-11-01, or an age like 12h, 7d, 2w, 3mo.`;
      const isAfter = (row: SessionRow): boolean => row.isRunning || Date.parse(row.updated) >= at;
      return field === "after" ? isAfter : (row) => !isAfter(row);
    }
    default:
      return undefined;
  }
}

function numberTest(name: string, value: string, of: (row: SessionRow) => number | undefined): Test | string {
  const match = /^(>=|<=|>|<|=)?(\d+(?:\.\d+)?)$/.exec(value);
  if (match === null) return `${name}: takes a number, as in ${name}:>1 or ${name}:<0.5.`;
  const limit = Number(match[2]);
  const compare: Record<string, (own: number) => boolean> = {
    ">": (own) => own > limit,
    "<": (own) => own < limit,
    ">=": (own) => own >= limit,
    "<=": (own) => own <= limit,
    "=": (own) => own === limit,
  };
  const holds = compare[match[1] ?? ">="]!;
  return (row) => {
    const own = of(row);
    return own !== undefined && holds(own);
  };
}

function dateOf(value: string, now: number): number | undefined {
  const ago = AGO.exec(value);
  if (ago !== null) return now - Number(ago[1]) * HOURS[ago[2] as keyof typeof HOURS] * HOUR_MS;
  const day =
    value === "today" ? dayOf(new Date(now)) : value === "yesterday" ? dayOf(new Date(now - 24 * HOUR_MS)) : value;
  const at = /^\d{4}-\d{2}(-\d{2})?$/.test(day)
    ? Date.parse(`${day.length === 7 ? `${day}-01` : day}T00:00:00`)
    : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** Plain words match a session's names; state and directory have their own fields. */
function wordTest(word: string): Test {
  return ({ title, agent, model, project, branch, machine, tags, key }) =>
    [title, agent, model, baseName(project), branch, machine, key, ...tags].some((own) =>
      own.toLowerCase().includes(word),
    );
}

/** Sets this field in the filter text; an empty value removes it. */
export function withField(text: string, field: string, value: string): string {
  const others = [...text.matchAll(TOKEN)].filter(([, , name]) => name !== field).map(([whole]) => whole);
  const own = value === "" ? [] : [`${field}:${/\s/.test(value) ? `"${value}"` : value}`];
  return [...others, ...own].join(" ");
}

/** The value of this field in the filter text. */
export function fieldIn(text: string, field: string): string {
  const token = [...text.matchAll(TOKEN)].find(([, , name]) => name === field);
  return token?.[3] ?? token?.[4] ?? "";
}
