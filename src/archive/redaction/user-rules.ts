/** The user's own rules: `redact.json` in amux's home, `[{ "name": "…", "pattern": "…" }]`. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { AgentMuxError } from "../../core/errors.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { amuxHome, type PathEnv } from "../../lib/fs/paths.ts";
import { writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import { ensurePrivateDirectory } from "../../lib/fs/private-directory.ts";
import { Redactor } from "./redactor.ts";
import { RULES } from "./rules.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

const UserRules = z.array(z.object({ name: z.string().regex(/^[a-z][a-z0-9-]{0,40}$/), pattern: z.string().min(1) }));

export interface RuleSet {
  redactor: Redactor;
  /** Changes with the rules: what was sent under older ones is looked through again. */
  version: string;
}

/** To be raised with every change of the rules that no pattern shows, and with secretlint's version. */
const REVISION = 2;

/** A file that cannot be understood stops everything: its rules were meant. */
export function readRules(env: PathEnv): RuleSet {
  const path = rulesPath(env);
  const patterns = rulesIn(path);
  try {
    const redactor = new Redactor({ patterns, vars: env.vars });
    const text = JSON.stringify([REVISION, ...patterns, ...RULES.map(({ name, pattern }) => [name, String(pattern)])]);
    return { redactor, version: createHash("sha256").update(text).digest("hex").slice(0, 12) };
  } catch (error) {
    throw new AgentMuxError("CONFIG_ERROR", `${path}: ${errorText(error)}`, { cause: error });
  }
}

/** Keeps a rule for all later pushes, beside those that are there. */
export function addRule(env: PathEnv, rule: { name: string; pattern: string }): void {
  const path = rulesPath(env);
  const rules = rulesIn(path);
  if (rules.some(({ pattern }) => pattern === rule.pattern)) return;
  ensurePrivateDirectory(amuxHome(env));
  writeFileAtomic(path, `${JSON.stringify([...rules, rule], null, 2)}\n`);
}

function rulesPath(env: PathEnv): string {
  return join(amuxHome(env), "redact.json");
}

function rulesIn(path: string): z.infer<typeof UserRules> {
  let text: string;
  try {
    text = readText(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new AgentMuxError("CONFIG_ERROR", `${path} cannot be read.`, { cause: error });
  }
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
