/** A stream of one JSON object per line; other lines are passed on as they are. */
import { asObject, asString, type Json } from "../../lib/json/fields.ts";
import type { AgentStream } from "../run-support.ts";
import type { EventAssembler } from "./event-assembler.ts";
import { failuresIn } from "./run-failure.ts";

/** `see` returns false for an unknown record; `guidance` is what to do about a missing sign-in. */
export function jsonLineReader(
  assembler: EventAssembler,
  guidance: string,
  see: (record: Json) => boolean | void,
): Pick<AgentStream, "line" | "end"> {
  return {
    line(text) {
      const record = parsed(text);
      if (record === undefined || see(record) === false) {
        assembler.push({ type: "log", source: "stdout", line: text });
      }
      return assembler.take();
    },
    end({ exitCode, stderr }) {
      if (exitCode !== 0 && !assembler.hasFailed) assembler.push(...failuresIn(stderr, guidance));
      assembler.close();
      return assembler.take();
    },
  };
}

/** What to do with the records of each type. One whose handler returns false, and one of an unknown type, becomes a log line. */
export type RecordHandlers = Readonly<Record<string, (data: Json, record: Json) => boolean | void>>;

/** `silent` matches types that add nothing; `data` is the part of the record with the fields. */
export function byType(handlers: RecordHandlers, silent?: RegExp): (record: Json, data?: Json) => boolean | void {
  return (record, data = record) => {
    const type = stringIn(record, "type");
    if (Object.hasOwn(handlers, type)) return handlers[type]!(data, record);
    return silent?.test(type) ? undefined : false;
  };
}

export function stringIn(fields: Json, name: string): string {
  return asString(fields[name]) ?? "";
}

function parsed(text: string): Json | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    return asObject(JSON.parse(text));
  } catch {
    // A warning or a torn line among the records: shown as a log line.
    return undefined;
  }
}
