/**
 * Budgets that warn: `budget-warnings.json` in amux's home, written by every check. The attention list reads it, which has no time
 * to add up costs. A warning ends with its period, or with the next check after the budget was raised.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { BudgetWarning } from "../core/budget-warning.ts";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { readText } from "../lib/fs/foreign-file.ts";
import { ensurePrivateDirectory } from "../lib/fs/private-directory.ts";
import { asArray, asObjects, asText, asTime } from "../lib/json/fields.ts";
import { parseObject } from "../lib/json/json.ts";
import { optional } from "../lib/values/optional.ts";
import { sha256 } from "../lib/values/sha256.ts";

/** One for each budget. */
const MAX_WARNINGS = 200;

/** A stored warning. `users` are the sessions or accounts that used the budget up: another one is news. */
export interface StoredWarning extends BudgetWarning {
  users: string[];
}

/** The id of a budget's warning. */
export function warningId(per: string, project: string | undefined): string {
  return `budget-${sha256(JSON.stringify([per, project])).slice(0, 16)}`;
}

/** A warning keeps its time while nothing got worse. */
export function writeWarnings(home: string, warnings: readonly StoredWarning[], now: number): void {
  const path = join(home, "budget-warnings.json");
  if (warnings.length === 0) return rmSync(path, { force: true });
  const before = new Map(read(path).map((warning) => [warning.id, warning]));
  const kept = warnings.map((warning) => {
    const old = before.get(warning.id);
    const isOld =
      old !== undefined &&
      old.level === warning.level &&
      (old.until ?? Infinity) > now &&
      warning.users.every((user) => old.users.includes(user));
    return isOld ? { ...warning, since: old.since } : warning;
  });
  ensurePrivateDirectory(home);
  writeFileAtomic(path, `${JSON.stringify({ warnings: kept.slice(0, MAX_WARNINGS) })}\n`);
}

/** Those that hold now. */
export function readWarnings(home: string, now: number): BudgetWarning[] {
  return read(join(home, "budget-warnings.json")).filter(({ until }) => until === undefined || until > now);
}

/** A damaged file is as good as none: the next check writes it anew. */
function read(path: string): StoredWarning[] {
  let text: string;
  try {
    text = readText(path);
  } catch {
    return []; // No budget warns, or something else is in the way.
  }
  return asObjects(parseObject(text)?.["warnings"]).flatMap((fields): StoredWarning[] => {
    const [id, name, said] = [asText(fields["id"]), asText(fields["name"]), asText(fields["text"])];
    const [since, level] = [asTime(fields["since"]), fields["level"]];
    if (id === undefined || name === undefined || said === undefined || since === undefined) return [];
    if (level !== "warn" && level !== "over") return [];
    return [
      {
        id,
        name,
        text: said,
        level,
        since,
        ...optional("until", asTime(fields["until"])),
        ...optional("project", asText(fields["project"])),
        users: asArray(fields["users"])?.flatMap((user) => asText(user) ?? []) ?? [],
      },
    ];
  });
}
