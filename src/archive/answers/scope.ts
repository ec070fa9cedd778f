/** Selects the rows of `sessions` for an answer. A session held by several machines or owners appears once. */
import { sep } from "node:path";
import type { SessionLabel, SessionLabels } from "../../history/session-labels.ts";
import { clean } from "../store/rows.ts";

/** Collects a statement's parameter values. */
export class Parameters {
  readonly values: unknown[] = [];

  /** Returns the parameter's placeholder. */
  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}

const MERIT = ["(owner = session_user)", "updated_ms", "message_count", "digest"];

/**
 * Of rows with one id, the reader's own comes first, so that nobody can replace it; then the newest, then the longest. `s` is the
 * row.
 */
export function isBest(owners: string | undefined): string {
  const of = (row: string): string =>
    MERIT.map((column) => column.replace(/owner|updated_ms|message_count|digest/, `${row}.$&`)).join(", ");
  const among = owners === undefined ? "" : ` AND o.owner = ANY(${owners}::name[])`;
  return `NOT EXISTS (
    SELECT 1 FROM amux.sessions o
    WHERE o.agent = s.agent AND o.session_id = s.session_id AND o.id <> s.id${among} AND (${of("o")}) > (${of("s")})
  )`;
}

export interface SessionScope {
  agent?: string;
  since?: Date;
  until?: Date;
  model?: string;
  /** A part of a model's id, in any case. */
  modelPart?: string;
  tags?: readonly string[];
  /** Absolute. */
  cwd?: string;
  /** Absolute; this directory and those below it. */
  under?: string;
  branch?: string;
  /** A part of it, in any case. */
  title?: string;
  /** The local labels, in which tags are looked for too. */
  labels?: SessionLabels;
  /** Only these, by unified id. */
  only?: ReadonlySet<string>;
  /** Only sessions of these owners. */
  owners?: readonly string[];
}

/** Conditions known without reading; the caller checks again. `s` is the row. */
export function conditionsOf(scope: SessionScope, parameters: Parameters): string {
  const { agent, since, until, model, modelPart, tags, cwd, under, branch, title, labels, only, owners } = scope;
  const isIn = (ids: Iterable<string>): string =>
    `s.agent || ':' || s.session_id = ANY(${parameters.add([...ids].map(clean))}::text[])`;
  const isLabelled = (wanted: (label: SessionLabel) => boolean): string => isIn(labelledIds(labels, wanted));
  const all: string[] = [];
  const owner = owners === undefined ? undefined : parameters.add(owners);
  if (owner !== undefined) all.push(`s.owner = ANY(${owner}::name[])`);
  if (agent !== undefined) all.push(`s.agent = ${parameters.add(agent)}`);
  if (since) all.push(`s.created_ms >= ${parameters.add(since.getTime())}`);
  if (until) all.push(`s.created_ms <= ${parameters.add(until.getTime())}`);
  if (cwd !== undefined) all.push(`s.directory = ${parameters.add(cwd)}`);
  if (under !== undefined) {
    const below = `${literal(clean(under.endsWith(sep) ? under : `${under}${sep}`))}%`;
    all.push(`(s.directory = ${parameters.add(clean(under))} OR s.directory LIKE ${parameters.add(below)})`);
  }
  if (branch !== undefined) all.push(`s.branch = ${parameters.add(clean(branch))}`);
  if (title !== undefined) all.push(`lower(s.title COLLATE "C") LIKE ${parameters.add(`%${titlePattern(title)}%`)}`);
  if (only !== undefined) all.push(isIn(only));
  if (model !== undefined) all.push(`${parameters.add(model)} = ANY(s.models)`);
  if (modelPart !== undefined)
    all.push(`EXISTS (SELECT 1 FROM unnest(s.models) AS m (id) WHERE
      lower(m.id COLLATE "C") LIKE ${parameters.add(`%${titlePattern(modelPart)}%`)})`);
  if (tags && tags.length > 0) {
    all.push(`(${isLabelled((label) => label.tags.some((tag) => tags.includes(tag)))} OR EXISTS (
      SELECT 1 FROM amux.runs r
      WHERE r.agent = s.agent AND r.session_id = s.session_id AND r.tags && ${parameters.add(tags)}::text[]
    ))`);
  }
  all.push(isBest(owner));
  return all.join(" AND ");
}

export function labelledIds(
  labels: SessionLabels | undefined,
  isWanted: (label: SessionLabel) => boolean,
): ReadonlySet<string> {
  return new Set([...(labels ?? [])].flatMap(([id, label]) => (isWanted(label) ? [id] : [])));
}

function literal(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}

/** Anything may stand where the database's lower case may differ: `k` and `i` have capitals outside of ASCII. */
function titlePattern(title: string): string {
  return literal(title.toLowerCase()).replace(/[^ -~]|[ik]/g, "%");
}
