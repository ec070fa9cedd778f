/**
 * The status file of one session: `~/.claude-sessions/<name>.json`. Several programs read and write it, so parsing is lenient and
 * unknown fields are kept. No I/O here.
 */
import { asNumber, asObject, asObjects, asString, asText, type Json } from "../lib/json/fields.ts";
import { readMetrics, withTimeIn, type Metrics } from "./metrics.ts";
import { unixSeconds } from "./unix-seconds.ts";

/** The file's content: known fields, and all others. */
export interface StatusFile extends Json {
  /** The session's name, and the file's key. */
  tmux_session: string;
  /** State of the main agent. Unknown words are kept. */
  status: string;
  message: string;
  cwd: string;
  /** Unix seconds of the last change of status. */
  timestamp: number;
}

/** Id of the amux session that owns the file; tmux sessions have none. */
export const AMUX_SESSION = "amux_session";

/** The rule by which `current_pbi` was inferred; absent if it was set explicitly. */
export const PBI_SOURCE = "current_pbi_source";

export interface GitFields {
  branch: string;
  dirty: boolean;
  ahead: number;
  behind: number;
  /** Abbreviated hash and subject. */
  last_commit: string;
  /** Name of the remote, or its address from another writer. */
  remote: string;
  pr_num: number;
  fetched_at: number;
}

export interface TokenFields {
  input: number;
  output: number;
  total: number;
}

export interface AgentFields {
  status: string;
  timestamp: number;
  message?: string;
}

export interface TeamMember extends Json {
  name: string;
  status: string;
  timestamp: number;
}

export interface Team extends Json {
  name: string;
  agents: TeamMember[];
}

/** Undefined if it is not a status file. */
export function parseStatusFile(text: string, name: string): StatusFile | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // Half written by a program that does not replace files, or not ours.
  }
  const fields = asObject(value);
  return fields === undefined ? undefined : withKnownFields(fields, name);
}

/** The same object with every documented core field present and typed. */
export function withKnownFields(fields: Json, name: string): StatusFile {
  return {
    ...fields,
    tmux_session: asText(fields["tmux_session"]) ?? name,
    status: asString(fields["status"]) ?? "",
    message: asString(fields["message"]) ?? "",
    cwd: asString(fields["cwd"]) ?? "",
    timestamp: unixSeconds(fields["timestamp"]),
  };
}

export function metricsOf(file: Json): Metrics | undefined {
  const metrics = asObject(file["metrics"]);
  return metrics === undefined ? undefined : readMetrics(metrics);
}

/** Adds the current state's duration, which the file does not contain yet. */
export function metricsUntil(file: StatusFile, nowMs: number): Metrics | undefined {
  const metrics = metricsOf(file);
  if (metrics === undefined || metrics.started === 0 || file.status === "offline") return metrics;
  return withTimeIn(metrics, file.status, file.timestamp, Math.floor(nowMs / 1000));
}

/** At the top level as documented, or inside the metrics as one program writes it. */
export function tokensOf(file: Json): TokenFields | undefined {
  const tokens = asObject(file["tokens"]) ?? asObject(asObject(file["metrics"])?.["tokens"]);
  if (tokens === undefined) return undefined;
  const input = asNumber(tokens["input"]) ?? 0;
  const output = asNumber(tokens["output"]) ?? 0;
  return { input, output, total: asNumber(tokens["total"]) ?? input + output };
}

export function gitOf(file: Json): Partial<GitFields> | undefined {
  const git = asObject(file["git"]);
  if (git === undefined) return undefined;
  const result: Partial<GitFields> = {};
  for (const field of ["branch", "last_commit", "remote"] as const) {
    const text = asText(git[field]);
    if (text !== undefined) result[field] = text;
  }
  for (const field of ["ahead", "behind", "pr_num", "fetched_at"] as const) {
    const number = asNumber(git[field]);
    if (number !== undefined) result[field] = number;
  }
  if (typeof git["dirty"] === "boolean") result.dirty = git["dirty"];
  return result;
}

/** Agents other than the main one, by type. */
export function agentsOf(file: Json): Record<string, AgentFields> {
  const agents: Record<string, AgentFields> = {};
  for (const [type, value] of Object.entries(asObject(file["agents"]) ?? {})) {
    const fields = asObject(value);
    if (fields === undefined) continue;
    const message = asText(fields["message"]);
    agents[type] = {
      status: asString(fields["status"]) ?? "",
      timestamp: unixSeconds(fields["timestamp"]),
      ...(message === undefined ? {} : { message }),
    };
  }
  return agents;
}

export function teamOf(file: Json): Team | undefined {
  const team = asObject(file["team"]);
  if (team === undefined) return undefined;
  const agents = asObjects(team["agents"]).flatMap((member): TeamMember[] => {
    const name = asText(member["name"]);
    if (name === undefined) return [];
    const status = asString(member["status"]) ?? "";
    return [{ ...member, name, status, timestamp: unixSeconds(member["timestamp"]) }];
  });
  return { ...team, name: asString(team["name"]) ?? "", agents };
}
