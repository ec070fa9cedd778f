/**
 * Evidence stored in a status file between hook calls, under `amux.agents.<agent>`. If another program drops or overrides it, it
 * starts afresh.
 */
import { stateFrom, SOURCES } from "../core/state.ts";
import { asNumber, asObject, asObjects, asText, type Json } from "../lib/json/fields.ts";
import { optional } from "../lib/values/optional.ts";
import {
  NO_EVIDENCE,
  type OpenQuestion,
  type Evidence,
  type Logged,
  type Observation,
  type SourceReport,
} from "./evidence.ts";
import { AMUX_SESSION, type StatusFile } from "./status-file.ts";

const KEY = "amux";

export interface StoredAgent {
  evidence: Evidence;
  transcript?: string;
  /** Its tmux pane. */
  pane?: string;
}

export function evidenceOf(file: Json, agent: string): StoredAgent {
  const kept = asObject(asObject(asObject(file[KEY])?.["agents"])?.[agent]) ?? {};
  return {
    evidence: readEvidence(asObject(kept["evidence"]) ?? {}),
    ...optional("transcript", asText(kept["transcript"])),
    ...optional("pane", asText(kept["pane"])),
  };
}

/** Whether a session outside of amux claims this conversation. */
export function isWrittenElsewhere(file: StatusFile, agent: string, sessionId: string): boolean {
  if (file[AMUX_SESSION] !== undefined || file.status === "offline") return false;
  return file["session_id"] === sessionId || evidenceOf(file, agent).evidence.session === sessionId;
}

export function agentsWithEvidence(file: Json): string[] {
  return Object.keys(asObject(asObject(file[KEY])?.["agents"]) ?? {});
}

export function tmuxSocketOf(file: Json): string | undefined {
  return asText(asObject(file[KEY])?.["tmux_socket"]);
}

export function withEvidence(file: StatusFile, agent: string, kept: StoredAgent, tmuxSocket?: string): StatusFile {
  const ours = asObject(file[KEY]) ?? {};
  const agents = { ...asObject(ours["agents"]), [agent]: kept };
  return { ...file, [KEY]: { ...ours, ...optional("tmux_socket", tmuxSocket), agents } };
}

/** Parses evidence from a file or another process; unknown parts are dropped. */
export function readEvidence(fields: Json): Evidence {
  const said: Evidence["said"] = Object.fromEntries(
    SOURCES.flatMap((source) => {
      const word = readSaid(asObject(asObject(fields["said"])?.[source]));
      return word === undefined ? [] : [[source, word]];
    }),
  );
  return {
    ...NO_EVIDENCE,
    ...optional("session", asText(fields["session"])),
    ...optional("pid", asNumber(fields["pid"])),
    said,
    asks: asObjects(fields["asks"]).flatMap((ask) => (isObservation(ask) ? [ask as unknown as OpenQuestion] : [])),
    log: asObjects(fields["log"]).flatMap((entry) => (isObservation(entry) ? [entry as unknown as Logged] : [])),
  };
}

function readSaid(word: Json | undefined): SourceReport | undefined {
  if (word === undefined || !isObservation(word)) return undefined;
  return { ...(word as unknown as Observation), since: asNumber(word["since"]) ?? (word["at"] as number) };
}

function isObservation(value: Json): boolean {
  const known = SOURCES.some((source) => source === value["source"]);
  return known && stateFrom(value["state"]) !== undefined && asNumber(value["at"]) !== undefined;
}
