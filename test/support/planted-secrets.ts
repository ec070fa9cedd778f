/** Homes of every agent as recorded, with secrets planted into what was said and done. */
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import type { SessionManager } from "../../src/history/manager.ts";
import { Redactor } from "../../src/redaction/redactor.ts";
import { secretKinds, type SecretKind } from "../../src/redaction/testing/secret-kinds.ts";

const AGENTS = join(import.meta.dirname, "../../src/agents");

/** With a recorded home, and which one. */
export function recordedAgents(): { agent: string; home: string }[] {
  return readdirSync(AGENTS).flatMap((agent) => {
    const home = ["live-home", "home"].find((name) => existsSync(join(AGENTS, agent, "fixtures", name)));
    return home === undefined ? [] : [{ agent, home: join(AGENTS, agent, "fixtures", home) }];
  });
}

/** Kinds that the rules know; the corpus' own test counts the rest. One that swallows all that follows would hide the others. */
export function plantedKinds(count: number): SecretKind[] {
  const redactor = new Redactor();
  const kinds = secretKinds().filter(
    ({ line, secret }) => !line.includes("BEGIN") && !redactor.text(`${line}\nend`, "", []).includes(core(secret)),
  );
  if (kinds.length < count) throw new Error(`only ${kinds.length} kinds of secrets`);
  return kinds.slice(0, count);
}

/** The middle of the secret, without the address or label around it. */
function core(secret: string): string {
  return secret.length < 16 ? secret : secret.slice(-12, -3);
}

/** Which of them a text holds, however it escapes quotes and brackets. */
export function found(kinds: readonly SecretKind[], text: string): SecretKind[] {
  const plain = unescaped(text);
  return kinds.filter(({ secret }) => plain.includes(unescaped(core(secret))));
}

export function holdsAny(kinds: readonly SecretKind[], text: string): boolean {
  const plain = unescaped(text);
  return kinds.some(({ secret }) => plain.includes(unescaped(core(secret))));
}

function unescaped(text: string): string {
  return text.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity]!).replaceAll("\\", "");
}

const ENTITIES: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };

const PHRASES = 40;

/** A copy of the home in which phrases of its messages are followed by secrets, a few each. */
export async function plantIn(
  home: string,
  copy: string,
  kinds: readonly SecretKind[],
  open: (home: string) => SessionManager,
): Promise<void> {
  cpSync(home, copy, { recursive: true, preserveTimestamps: true });
  // Of the newest sessions: those without a secret need not be exported.
  const phrases = (await phrasesIn(open(home))).slice(0, PHRASES);
  const each = Math.ceil(kinds.length / phrases.length);
  const planted = new Map(
    phrases.map((phrase, index) => {
      // Each in two places: some phrases are kept in a form that is not found here.
      const lines = [index, (index + Math.ceil(phrases.length / 2)) % phrases.length].flatMap((at) =>
        kinds.slice(at * each, (at + 1) * each).map(({ line }) => line),
      );
      return [phrase, [phrase, ...lines, ""].join("\n")];
    }),
  );
  rewrite(copy, planted);
}

/** Lines that need no escaping, so that they stand in files as they were said. */
async function phrasesIn(sessions: SessionManager): Promise<string[]> {
  const phrases = new Set<string>();
  for (const { agent, sessionId } of await sessions.listAll()) {
    const { messages } = await sessions.get(agent, sessionId);
    for (const { content } of messages) {
      const line = content.split("\n").find((text) => /^[\w ,.'()-]{12,200}$/.test(text));
      if (line !== undefined) phrases.add(line);
    }
  }
  // A phrase inside another would be planted twice.
  const all = [...phrases];
  return all.filter((phrase) => !all.some((other) => other !== phrase && other.includes(phrase)));
}

function rewrite(path: string, planted: ReadonlyMap<string, string>): void {
  if (statSync(path).isDirectory()) {
    for (const name of readdirSync(path)) rewrite(join(path, name), planted);
  } else if (readFileSync(path).subarray(0, 15).toString("latin1") === "SQLite format 3")
    rewriteDatabase(path, planted);
  else if (/\.jsonl?$/.test(path)) {
    const text = readFileSync(path, "utf8");
    const changed = replaced(text, planted, true);
    if (changed !== text) writeFileSync(path, changed);
  }
}

function replaced(text: string, planted: ReadonlyMap<string, string>, isJson: boolean): string {
  let changed = text;
  for (const [phrase, whole] of planted) {
    changed = changed.replaceAll(phrase, () => (isJson ? JSON.stringify(whole).slice(1, -1) : whole));
  }
  return changed;
}

function rewriteDatabase(path: string, planted: ReadonlyMap<string, string>): void {
  const database = new DatabaseSync(path);
  const tables = database.prepare("PRAGMA table_list").all() as { name: string; type: string }[];
  for (const { name } of tables.filter(({ type }) => type === "table")) {
    const columns = database.prepare(`PRAGMA table_info("${name}")`).all() as { name: string }[];
    for (const { name: column } of columns) {
      const distinct = `SELECT DISTINCT "${column}" AS value FROM "${name}" WHERE typeof("${column}") IN ('text', 'blob')`;
      for (const { value } of database.prepare(distinct).all() as { value: string | Uint8Array }[]) {
        const text = typeof value === "string" ? value : Buffer.from(value).toString("utf8");
        const changed = replaced(text, planted, /^\s*[[{]/.test(text));
        // Not text.
        if (changed === text || (typeof value !== "string" && !/^\s*[[{]/.test(text))) continue;
        const stored = typeof value === "string" ? changed : Buffer.from(changed);
        database.prepare(`UPDATE "${name}" SET "${column}" = ? WHERE "${column}" = ?`).run(stored, value);
      }
    }
  }
  database.close();
}
