/** The user's own rules: `redact.json` in amux's home, `[{ "name": "…", "pattern": "…" }]`. */
import { createHash, createHmac, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { AgentMuxError } from "../core/errors.ts";
import { errorText } from "../lib/text/error-text.ts";
import { amuxHome, type PathEnv } from "../lib/fs/paths.ts";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { ensurePrivateDirectory } from "../lib/fs/private-directory.ts";
import { Redactor, secretValues } from "./redactor.ts";
import { RULES } from "./rules.ts";
import { readText, settingsText } from "../lib/fs/foreign-file.ts";

const UserRules = z.array(z.object({ name: z.string().regex(/^[a-z][a-z0-9-]{0,40}$/), pattern: z.string().min(1) }));

export interface RuleSet {
  redactor: Redactor;
  /**
   * The rules' version and a mark of each environment secret, separated by dots. Sessions redacted with fewer are inspected
   * again.
   */
  version: string;
}

/** Whether the earlier rules and marks covered all current ones. */
export function isAsStrict(then: string, now: string): boolean {
  const [rules, ...marks] = now.split(".");
  const [thenRules, ...thenMarks] = then.split(".");
  return rules === thenRules && marks.every((mark) => thenMarks.includes(mark));
}

/** The version without the marks of the environment. */
export function withoutMarks(version: string): string {
  return version.split(".")[0]!;
}

/** Raise it with every rule change that no pattern shows, and with secretlint's version. */
const REVISION = 3;

/** A malformed file stops everything, so that no rule is ignored. `values` are redacted too. */
export function readRules(env: PathEnv, values: readonly string[] = []): RuleSet {
  const path = rulesPath(env);
  const patterns = rulesIn(path);
  const marks = marksOf(env);
  try {
    const redactor = new Redactor({ patterns, vars: env.vars, values });
    const text = JSON.stringify([REVISION, ...patterns, ...RULES.map(({ name, pattern }) => [name, String(pattern)])]);
    const rules = createHash("sha256").update(text).digest("hex").slice(0, 12);
    return { redactor, version: [rules, ...marks].join(".") };
  } catch (error) {
    throw new AgentMuxError("CONFIG_ERROR", `${path}: ${errorText(error)}`, { cause: error });
  }
}

/** Adds a rule for all later pushes. */
export function addRule(env: PathEnv, rule: { name: string; pattern: string }): void {
  const path = rulesPath(env);
  const rules = rulesIn(path);
  if (rules.some(({ pattern }) => pattern === rule.pattern)) return;
  ensurePrivateDirectory(amuxHome(env));
  writeFileAtomic(path, `${JSON.stringify([...rules, rule], null, 2)}\n`);
}

/** Versions are stored in the archive: without the key, a mark must reveal nothing and allow no guessing. */
function marksOf(env: PathEnv): string[] {
  const values = secretValues(env.vars);
  if (values.length === 0) return [];
  const key = markKey(env);
  const marks = values.map((value) => createHmac("sha256", key).update(value).digest("hex").slice(0, 8));
  return [...new Set(marks)].sort();
}

function markKey(env: PathEnv): string {
  const path = join(amuxHome(env), "redact-key");
  try {
    if (existsSync(path)) return readText(path).trim();
    const key = randomBytes(32).toString("hex");
    ensurePrivateDirectory(amuxHome(env));
    writeFileAtomic(path, `${key}\n`);
    return key;
  } catch (error) {
    throw new AgentMuxError("CONFIG_ERROR", `${path} can be neither read nor written.`, { cause: error });
  }
}

function rulesPath(env: PathEnv): string {
  return join(amuxHome(env), "redact.json");
}

function rulesIn(path: string): z.infer<typeof UserRules> {
  const text = settingsText(path);
  if (text === undefined) return [];
  try {
    return UserRules.parse(JSON.parse(text));
  } catch (error) {
    throw new AgentMuxError(
      "CONFIG_ERROR",
      `${path} must be a list of rules [{ "name": "customer-id", "pattern": "C-[0-9]{8}" }]; nothing is sent until it is.`,
      { cause: error },
    );
  }
}
