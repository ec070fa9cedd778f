/** Validates the options of the session manager: a wrong one would silently change the answer. */
import { ValidationError, type InvalidField } from "../core/errors.ts";

interface Checked {
  since?: unknown;
  until?: unknown;
  limit?: unknown;
  sort?: unknown;
  sortDirection?: unknown;
  tags?: unknown;
}

const DIRECTIONS = ["asc", "desc"];

/** `sorts`: the valid sort keys. */
export function checkOptions(options: Checked, sorts: readonly string[]): void {
  refuse(wrongOptions(options, sorts));
}

export function checkQuery(query: Checked & { text?: unknown }, sorts: readonly string[]): void {
  const wrongText = typeof query.text === "string" ? [] : mustBe("text", query.text, "a string");
  refuse([...wrongText, ...wrongOptions(query, sorts)]);
}

function wrongOptions(options: Checked, sorts: readonly string[]): InvalidField[] {
  const { since, until, limit, sort, sortDirection, tags } = options;
  return [
    ...wrongDate("since", since),
    ...wrongDate("until", until),
    ...wrongLimit(limit),
    ...wrongChoice("sort", sort, sorts),
    ...wrongChoice("sortDirection", sortDirection, DIRECTIONS),
    ...wrongTags(tags),
  ];
}

function refuse(wrong: InvalidField[]): void {
  if (wrong.length > 0) throw new ValidationError(wrong);
}

function wrongDate(field: string, received: unknown): InvalidField[] {
  if (received === undefined || (received instanceof Date && !Number.isNaN(received.getTime()))) return [];
  return mustBe(field, received, "a valid Date");
}

/** Infinity is allowed. */
function wrongLimit(received: unknown): InvalidField[] {
  const isCount =
    typeof received === "number" && received >= 0 && (Number.isInteger(received) || received === Infinity);
  return received === undefined || isCount ? [] : mustBe("limit", received, "a whole number, 0 or more");
}

function wrongChoice(field: string, received: unknown, choices: readonly string[]): InvalidField[] {
  if (received === undefined || choices.some((choice) => choice === received)) return [];
  return mustBe(field, received, `one of ${choices.join(", ")}`);
}

function wrongTags(received: unknown): InvalidField[] {
  const isList = Array.isArray(received) && received.every((tag) => typeof tag === "string");
  return received === undefined || isList ? [] : mustBe("tags", received, "a list of strings");
}

function mustBe(field: string, received: unknown, expected: string): InvalidField[] {
  return [{ field, message: `must be ${expected}`, received, expected }];
}
