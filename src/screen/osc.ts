/**
 * Parses OSC sequences: status (7777), agent state (7501), prompt marks (133), notifications (9, 99, 777). Pure functions;
 * everything here is untrusted text.
 */
import { asText } from "../lib/json/fields.ts";
import { oneLine, truncate } from "../lib/text/text.ts";
import type { Notification } from "../protocol/runner-api.ts";
import { statusShape } from "../protocol/runner-input.ts";
import { check } from "../protocol/shape.ts";
import type { State, Status } from "../protocol/status.ts";

/** No honest sender comes near; a longer payload is ignored. */
export const MAX_OSC_BYTES = 8192;
const MAX_TITLE = 200;
const MAX_MESSAGE = 2000;

export interface AgentState {
  state: State;
  message?: string;
}

export type PromptMark = { mark: "prompt" } | { mark: "running" } | { mark: "finished"; exitCode?: number };

export function cleanTitle(text: string): string {
  return truncate(oneLine(text.slice(0, MAX_OSC_BYTES)), MAX_TITLE);
}

/** OSC 7777: a status as JSON, or `null` to clear it. Undefined: not understood. */
export function parseStatusOsc(payload: string): Status | null | undefined {
  if (payload.length > MAX_OSC_BYTES) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch {
    return undefined;
  }
  if (value === null) return null;
  const status = check(statusShape, value);
  return status.ok ? { ...status.value, label: oneLine(status.value.label) } : undefined;
}

/** States of OSC 7501 in our terms. */
const AGENT_STATES: Readonly<Record<string, State>> = {
  idle: "idle",
  working: "working",
  blocked: "waiting",
  done: "done",
  error: "error",
};

/** OSC 7501: `state=working:app=codex:kind=permission:msg=<base64>`. Null: cleared. Undefined: not understood. */
export function parseAgentStateOsc(payload: string): AgentState | null | undefined {
  if (payload.length > MAX_OSC_BYTES) return undefined;
  const fields = new Map(payload.split(":").map((field) => splitOnce(field, "=")));
  const name = fields.get("state");
  if (name === "clear") return null;
  const state = AGENT_STATES[name ?? ""];
  if (state === undefined) return undefined;
  const message = fromBase64(fields.get("msg"));
  const report: AgentState = {
    state: state === "waiting" && fields.get("kind") === "permission" ? "permission" : state,
  };
  if (message !== undefined) report.message = message;
  return report;
}

/** OSC 133: A and B around the prompt, C when a command runs, D (with its exit code) when it ended. */
export function parsePromptOsc(payload: string): PromptMark | undefined {
  const [mark, code] = payload.slice(0, MAX_OSC_BYTES).split(";");
  if (mark === "A" || mark === "B") return { mark: "prompt" };
  if (mark === "C") return { mark: "running" };
  if (mark !== "D") return undefined;
  return code !== undefined && /^\d{1,3}$/.test(code)
    ? { mark: "finished", exitCode: Number(code) }
    : { mark: "finished" };
}

/** OSC 9: a text. `9;4;…` is a progress bar and `9;n` other ConEmu commands, not notifications. */
export function parseOsc9(payload: string): Notification | undefined {
  return /^\d{1,2}(;|$)/.test(payload) ? undefined : notification("", payload);
}

/** OSC 777: `notify;title;body`. */
export function parseOsc777(payload: string): Notification | undefined {
  const [verb, title = "", ...body] = payload.slice(0, MAX_OSC_BYTES).split(";");
  return verb === "notify" ? notification(title, body.join(";")) : undefined;
}

/** Assembles notifications that arrive in pieces (OSC 99); few at a time. */
export class NotificationAssembler {
  private readonly unfinished = new Map<string, Notification>();

  /** `i=id:d=0:p=title;text`: `d=0` means more follows, `p` is the part, `e=1` base64. */
  add(payload: string): Notification | undefined {
    if (payload.length > MAX_OSC_BYTES) return undefined;
    const [head, text] = splitOnce(payload, ";");
    const fields = new Map(head.split(":").map((field) => splitOnce(field, "=")));
    const part = fields.get("p") ?? "title";
    if (part !== "title" && part !== "body") return undefined;
    const id = fields.get("i") ?? "";
    const sofar = this.unfinished.get(id) ?? { title: "", body: "" };
    sofar[part] = (sofar[part] + (fields.get("e") === "1" ? (fromBase64(text) ?? "") : text)).slice(0, MAX_OSC_BYTES);
    this.unfinished.delete(id);
    if (fields.get("d") !== "0") return notification(sofar.title, sofar.body);
    if (this.unfinished.size < 16) this.unfinished.set(id, sofar);
    return undefined;
  }
}

function notification(title: string, body: string): Notification | undefined {
  const clean = { title: cleanTitle(title), body: truncate(oneLine(body.slice(0, MAX_OSC_BYTES)), MAX_MESSAGE) };
  return clean.title === "" && clean.body === "" ? undefined : clean;
}

function fromBase64(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return asText(truncate(oneLine(Buffer.from(text, "base64").toString("utf8")), MAX_MESSAGE));
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
