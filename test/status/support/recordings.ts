/** Recorded hook calls of real agents, as observations in order. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HOOK_EVENTS } from "../../../src/agents/hook-events.gen.ts";
import { asObject, asText, type Json } from "../../../src/lib/json/fields.ts";
import { optional } from "../../../src/lib/values/optional.ts";
import { NO_EVIDENCE, observe, type Observation } from "../../../src/status/evidence.ts";
import { judge } from "../../../src/status/verdict.ts";

export interface RecordedCall {
  at: number;
  event: string | undefined;
  payload: Json;
}

/** Recorders differ: a wrapper with the time, the bare payload, the event beside it, the plug-in's log. */
export function recordedCalls(agent: string, file: string): RecordedCall[] {
  const path = join(import.meta.dirname, `../../../src/agents/${agent}/fixtures/hooks/${file}`);
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return lines.flatMap((line): RecordedCall[] => {
    const record = JSON.parse(line) as Json;
    const stdin = asObject(record["stdin"]);
    if (stdin) return [{ at: Date.parse(record["at"] as string), event: undefined, payload: stdin }];
    const payload = asObject(record["payload"]);
    if (payload) return [{ at: payload["timestamp"] as number, event: asText(record["_event"]), payload }];
    if (record["k"] !== undefined) return pluginCall(record);
    const time = typeof record["t"] === "number" ? record["t"] * 1000 : Date.parse(record["timestamp"] as string);
    return [{ at: time, event: undefined, payload: record }];
  });
}

/** What our plug-in sends for the callbacks in the log. */
function pluginCall({ t, k, v }: Json): RecordedCall[] {
  const value = asObject(v) ?? {};
  if (k === "event") return [{ at: t as number, event: undefined, payload: value }];
  const input = asObject(value["input"]);
  if (input === undefined) return [];
  return [{ at: t as number, event: undefined, payload: { type: k, properties: input } }];
}

export function observationOf(agent: string, { at, event, payload }: RecordedCall): Observation | undefined {
  const reading = HOOK_EVENTS[agent]!.read(payload, event, {});
  if (reading?.report === undefined) return undefined;
  return { ...reading.report, source: "hook", at, event: reading.event, ...optional("session", reading.session) };
}

const ALONE = { isAlive: () => false };

/** The state after each call, repeats merged: `event state message`. */
export function statesOf(agent: string, calls: readonly RecordedCall[]): string[] {
  const states: string[] = [];
  let evidence = NO_EVIDENCE;
  let last = "";
  for (const call of calls) {
    const observation = observationOf(agent, call);
    if (observation === undefined) continue;
    evidence = observe(evidence, observation, ALONE);
    const { state, label = "", message = "" } = judge(evidence, call.at)!;
    const text = [state, label, message].filter((part) => part !== "").join(" | ");
    if (text !== last) states.push(`${observation.event}: ${text}`);
    last = text;
  }
  return states;
}
