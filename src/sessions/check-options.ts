/** Whether the session manager's options are what they must be: a wrong one would silently mean another answer. */
import { ValidationError, type InvalidField } from "../core/errors.ts";

interface Checked {
  since?: unknown;
  until?: unknown;
  limit?: unknown;
  sort?: unknown;
  sortDirection?: unknown;
}

const DIRECTIONS = ["asc", "desc"];

/** `sorts`: what the answer can be sorted by. */
export function checkOptions({ since, until, limit, sort, sortDirection }: Checked, sorts: readonly string[]): void {
  const wrong = [
    ...wrongDate("since", since),
    ...wrongDate("until", until),
    ...wrongLimit(limit),
    ...wrongChoice("sort", sort, sorts),
    ...wrongChoice("sortDirection", sortDirection, DIRECTIONS),
  ];
  if (wrong.length > 0) throw new ValidationError(wrong);
}

function wrongDate(field: string, received: unknown): InvalidField[] {
  if (received === undefined || (received instanceof Date && !Number.isNaN(received.getTime()))) return [];
  return mustBe(field, received, "a valid Date");
}

/** Without end is a number, too. */
function wrongLimit(received: unknown): InvalidField[] {
  const isCount =
    typeof received === "number" && received >= 0 && (Number.isInteger(received) || received === Infinity);
  return received === undefined || isCount ? [] : mustBe("limit", received, "a whole number, 0 or more");
}

function wrongChoice(field: string, received: unknown, choices: readonly string[]): InvalidField[] {
  if (received === undefined || choices.some((choice) => choice === received)) return [];
  return mustBe(field, received, `one of ${choices.join(", ")}`);
}

function mustBe(field: string, received: unknown, expected: string): InvalidField[] {
  return [{ field, message: `must be ${expected}`, received, expected }];
}
