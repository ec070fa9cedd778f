/** What holds for every agent's events, checked on recorded output by each agent's test. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { EventBody } from "../../../src/core/agent-event.ts";
import type { AgentStream } from "../../../src/agents/run-support.ts";

export interface Recording {
  name: string;
  path: string;
}

const ENDED_WELL = { exitCode: 0, stderr: "" };

export function replay(stream: AgentStream, path: string): EventBody[] {
  return play(stream, linesOf(path));
}

function play(stream: AgentStream, lines: readonly string[]): EventBody[] {
  const begun = stream.begin?.() ?? [];
  const printed = lines.flatMap((line) => stream.line(line));
  return [...begun, ...printed, ...stream.end(ENDED_WELL)];
}

function linesOf(path: string): string[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
}

/** The events without chunks that only repeat the whole. */
export function essence(events: readonly EventBody[]): EventBody[] {
  const pieces =
    /^(?:message_start|text_delta|thinking_start|thinking_delta|tool_call_start|tool_input_delta|shell_.*_delta)$/;
  return events.filter(({ type }) => !pieces.test(type));
}

export function streamConformance(agent: string, recordings: readonly Recording[], open: () => AgentStream): void {
  describe.each(recordings)(`${agent}'s recorded output $name`, ({ path }) => {
    const events = replay(open(), path);

    it("is understood line by line", () => {
      expect(events.filter(({ type }) => type === "log")).toEqual([]);
    });

    it("begins with one session and ends its turns", () => {
      expect(events.filter(({ type }) => type === "session_start")).toHaveLength(1);
      expect(count(events, "turn_start")).toBeGreaterThan(0);
      expect(count(events, "turn_end")).toBe(count(events, "turn_start"));
      expect(count(events, "step_end")).toBe(count(events, "step_start"));
    });

    it("ends every message with what its pieces say", () => {
      expect(texts(events, "text_delta", "message_stop", "text")).toEqual([]);
      expect(texts(events, "thinking_delta", "thinking_stop", "thinking")).toEqual([]);
      expect(count(events, "message_stop")).toBe(count(events, "message_start"));
      expect(count(events, "thinking_stop")).toBe(count(events, "thinking_start"));
    });

    it("gives every tool call one start, one input and at most one end", () => {
      const ids = (...types: string[]): string[] =>
        events.flatMap((event) => (types.includes(event.type) && "toolCallId" in event ? [event.toolCallId] : []));
      const started = ids("tool_call_start");
      expect(new Set(started).size).toBe(started.length);
      expect(ids("tool_call_ready").sort()).toEqual([...started].sort());
      const ended = ids("tool_result", "tool_error");
      expect(new Set(ended).size).toBe(ended.length);
      expect(started).toEqual(expect.arrayContaining(ended));
    });

    it("closes what was open when it is cut off", () => {
      const lines = linesOf(path);
      const cut = play(open(), lines.slice(0, Math.ceil(lines.length / 2)));
      expect(count(cut, "turn_end")).toBe(count(cut, "turn_start"));
      expect(count(cut, "message_stop")).toBe(count(cut, "message_start"));
    });

    it("passes on what is no record", () => {
      const noise = ["", "Warning: something", "{torn", "[1]", '{"type":"from the future"}', "null"];
      const stream = open();
      const told = noise.flatMap((line) => stream.line(line));
      expect(told.every(({ type }) => type === "log" || type === "message_start" || type === "text_delta")).toBe(true);
    });
  });
}

function count(events: readonly EventBody[], type: EventBody["type"]): number {
  return events.filter((event) => event.type === type).length;
}

/** Ends that differ from the sum of their chunks. */
function texts(events: readonly EventBody[], piece: string, end: string, field: string): unknown[] {
  let pieces = "";
  const wrong: unknown[] = [];
  for (const event of events as (EventBody & Record<string, unknown>)[]) {
    if (event.type === piece) {
      pieces += String(event["delta"]);
      if (event["accumulated"] !== pieces) wrong.push(event);
    } else if (event.type === end) {
      if (event[field] !== pieces) wrong.push(event);
      pieces = "";
    }
  }
  return wrong;
}
