/**
 * Which program a tree belongs to. omp began as a copy of Pi and obeys `PI_CODING_AGENT_DIR` too, so one folder can hold
 * sessions of both; each file belongs to the program that began it, and is listed and billed there only.
 */
import { asText, type Json } from "../../lib/fields.ts";
import { parseRecord, readHeadAndTail } from "../../lib/jsonl.ts";

export type TreeAuthor = "pi" | "omp";

/** The signs are in the first lines: title slot, header, and the model the session began with. */
const OPENING_BYTES = 16 * 1024;

/** Header fields that Pi does not have. */
const OMP_HEADER_FIELDS = [
  "title",
  "titleSource",
  "additionalDirectories",
  "previousSessionFiles",
  "providerPromptCacheKey",
];

/** A file without any sign, such as one of version 1, is Pi's, whose format it is. */
export function authorOf(path: string): TreeAuthor {
  try {
    for (const line of readHeadAndTail(path, OPENING_BYTES, 0).head) {
      const author = signIn(parseRecord(line) ?? {});
      if (author !== undefined) return author;
    }
  } catch {
    // Whoever owns the file tells that it cannot be read.
  }
  return "pi";
}

function signIn(record: Json): TreeAuthor | undefined {
  switch (record["type"]) {
    case "title":
      return "omp";
    case "session":
      return OMP_HEADER_FIELDS.some((field) => field in record) ? "omp" : undefined;
    case "model_change":
      // `provider` and `modelId` in Pi, `model: "provider/id"` in omp.
      return asText(record["modelId"]) === undefined ? "omp" : "pi";
    default:
      return undefined;
  }
}
