/** A stream of one JSON object per line; what is no such line is passed on as it is. */
import type { EventBody } from "../../core/agent-event.ts";
import { asObject, type Json } from "../../lib/fields.ts";
import type { EventAssembler } from "./event-assembler.ts";

/** `see` answers false for a record it does not know. */
export function jsonLineReader(
  assembler: EventAssembler,
  see: (record: Json) => boolean | void,
): { line(text: string): EventBody[]; end(): EventBody[] } {
  return {
    line(text) {
      const record = parsed(text);
      if (record === undefined || see(record) === false) {
        assembler.push({ type: "log", source: "stdout", line: text });
      }
      return assembler.take();
    },
    end() {
      assembler.close();
      return assembler.take();
    },
  };
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
