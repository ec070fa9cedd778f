/** A session in one indented JSON document that the agent rewrites on every change; a crash can leave a part of it. */
import { MAX_DOCUMENT_BYTES, readText } from "../../lib/fs/foreign-file.ts";
import type { Json } from "../../lib/json/fields.ts";
import { parseObject } from "../../lib/json/json.ts";
import { errorText } from "../../lib/text/error-text.ts";
import type { SessionHead, SessionSource } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";

/** The document, or its part up to the last complete item of its list. Undefined if there is none. Throws if it cannot be opened. */
export function documentIn(path: string, notes: ReadNotes): Json | undefined {
  const text = readText(path, MAX_DOCUMENT_BYTES);
  const whole = parseObject(text);
  if (whole === undefined && text.trim() !== "") notes.damage(path);
  return whole ?? untilLastItem(text);
}

/** A document that cannot be opened is skipped with the reason. Damage in it is noted when the whole of it is read. */
export function headOrSkip(
  { path }: SessionSource,
  notes: ReadNotes,
  read: (quiet: ReadNotes) => SessionHead | undefined,
): SessionHead | undefined {
  try {
    return read(new ReadNotes());
  } catch (error) {
    notes.skip(path, errorText(error));
    return undefined;
  }
}

/** Behind the list there may be objects that are indented like its items, which do not close it. */
const TRIES = 4;

/** Items end with a brace indented by four. */
function untilLastItem(text: string): Json | undefined {
  let end = text.length;
  for (let tried = 0; tried < TRIES; tried++) {
    end = Math.max(text.lastIndexOf("\n    },", end - 1), text.lastIndexOf("\n    }\n", end - 1));
    if (end <= 0) return undefined;
    const part = parseObject(`${text.slice(0, end)}\n    }\n  ]\n}`);
    if (part !== undefined) return part;
  }
  return undefined;
}
