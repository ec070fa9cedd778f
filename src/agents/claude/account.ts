/** The account that Claude Code is signed in to: its address, from `.claude.json`. Credentials are elsewhere and never read. */
import { join } from "node:path";
import { readText } from "../../lib/fs/foreign-file.ts";
import { asObject, asText } from "../../lib/json/fields.ts";
import { parseObject } from "../../lib/json/json.ts";

export function account(home: string, vars: Readonly<Record<string, string | undefined>>): string | undefined {
  const directory = asText(vars["CLAUDE_CONFIG_DIR"]) ?? home;
  try {
    const signedIn = asObject(parseObject(readText(join(directory, ".claude.json")))?.["oauthAccount"]);
    return asText(signedIn?.["emailAddress"]) ?? asText(signedIn?.["accountUuid"]);
  } catch {
    return undefined; // Not signed in with an account, or never started.
  }
}
