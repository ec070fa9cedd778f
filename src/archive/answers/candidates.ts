/**
 * Search candidates in result order. The database counts the passages with each word, which gives the exact score; phrases and
 * message positions need reading.
 */
import {
  scoreOf,
  TITLE_WEIGHT,
  answerOf,
  MAYBE,
  NO,
  YES,
  type Answer,
  type Leaf,
  type Node,
  type Plan,
} from "../../history/search/plan.ts";
import type { Sequence } from "../../history/search/query.ts";
import { fitsField, type SearchFacts } from "../../history/search/filter.ts";
import type { Connection } from "../store/connection.ts";
import type { SessionName } from "./load.ts";
import { keyOf } from "./relatives.ts";
import { conditionsOf, Parameters, type SessionScope } from "./scope.ts";

interface CandidateRow extends Omit<SearchFacts, "cwd" | "branch"> {
  id: string;
  session_id: string;
  cwd: string | null;
  branch: string | null;
  length: number;
}

export async function candidates(
  connection: Connection,
  plan: Plan,
  scope: SessionScope,
  newestFirst: boolean,
): Promise<SessionName[]> {
  const counts = await countWords(connection, plan);
  const rows = await factsOf(connection, scope, mayHoldNoWord(plan) ? undefined : [...counts.keys()]);
  const nothing = plan.leaves.map(() => 0);
  const found = rows.flatMap((row) => {
    const passages = counts.get(row.id) ?? nothing;
    const facts = { ...row, cwd: row.cwd ?? undefined, branch: row.branch ?? undefined };
    const answer = answerOf(plan.root, (leaf) => answerOfLeaf(plan.leaves[leaf]!, passages[leaf]!, facts));
    if (answer === NO) return [];
    const name = { agent: row.agent, sessionId: row.session_id };
    return [
      { name, key: keyOf(name), updatedMs: row.updatedMs, score: scoreOf(plan, (leaf) => passages[leaf]!, row.length) },
    ];
  });
  // The same order as the engine's (search/results.ts).
  found.sort((a, b) => (newestFirst ? 0 : b.score - a.score) || b.updatedMs - a.updatedMs || (a.key < b.key ? -1 : 1));
  return found.map(({ name }) => name);
}

/** Whether a session without any of the words can match: all are negated, or only fields decide. */
function mayHoldNoWord({ root, leaves }: Plan): boolean {
  return answerOf(root, (leaf) => (leaves[leaf]!.kind === "text" ? NO : MAYBE)) !== NO;
}

function answerOfLeaf(leaf: Leaf, passages: number, facts: SearchFacts): Answer {
  if (leaf.kind === "message") return MAYBE;
  if (leaf.kind === "text") {
    if (passages === 0) return NO;
    return leaf.text.steps.length === 1 && leaf.within.length === 0 ? YES : MAYBE;
  }
  // The row has the models of its requests; its messages may name fewer.
  if (leaf.test.field === "model") return MAYBE;
  return fitsField(leaf.test, facts) ? YES : NO;
}

/** By session number: how many passages contain the words of each leaf. */
async function countWords(connection: Connection, plan: Plan): Promise<Map<string, number[]>> {
  const texts = plan.leaves.flatMap((leaf, index) => (leaf.kind === "text" ? [{ index, text: leaf.text }] : []));
  const words = texts.flatMap(({ text, index }) => wordsOf(text).map((query) => ({ query, index })));
  if (words.length === 0) return new Map();
  const needed = neededLeaves(plan.root).filter((leaf) => plan.leaves[leaf]!.kind === "text");
  const rows = await connection.rows<{ session: string; texts: number[]; counts: number[] }>(
    "SELECT session, texts, counts FROM amux.find_words($1::tsquery[], $2::integer[], $3::integer[], $4)",
    [words.map(({ query }) => query), words.map(({ index }) => index), needed, TITLE_WEIGHT],
  );
  return new Map(
    rows.map(({ session, texts: leaves, counts }) => {
      const byLeaf = plan.leaves.map(() => 0);
      for (const [number, leaf] of leaves.entries()) byLeaf[leaf] = counts[number]!;
      return [session, byLeaf];
    }),
  );
}

/** Leaves that every match needs. */
function neededLeaves(node: Node): number[] {
  if (node.op === "leaf") return [node.leaf];
  return node.op === "all" ? node.of.flatMap(neededLeaves) : [];
}

/** Words are letters and digits; quoting covers future Unicode letters. */
function wordsOf({ steps, prefix }: Sequence): string[] {
  return [...new Set(steps)].map((step) => {
    const isPrefix = prefix && step === steps.at(-1);
    return `'${step.replaceAll("'", "''").replaceAll("\\", "\\\\")}'${isPrefix ? ":*" : ""}`;
  });
}

async function factsOf(
  connection: Connection,
  scope: SessionScope,
  ids: readonly string[] | undefined,
): Promise<CandidateRow[]> {
  const parameters = new Parameters();
  const conditions = conditionsOf(scope, parameters);
  const among = ids === undefined ? "" : `s.id = ANY(${parameters.add(ids)}::bigint[]) AND `;
  return connection.rows<CandidateRow>(
    `SELECT s.id, s.agent, s.session_id, s.title, s.directory AS cwd, s.branch, s.models, s.length,
       s.created_ms AS "createdMs", s.updated_ms AS "updatedMs"
     FROM amux.sessions s WHERE ${among}${conditions}`,
    parameters.values,
  );
}
