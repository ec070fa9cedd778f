/** For tests: what is shown of a message for a word, as it is told without parsing its records, and as its parts say. */
import { expect } from "vitest";
import type { SessionMessage } from "../../../core/session.ts";
import type { ByteScanner, Needle } from "../../../lib/byte-scan.ts";
import { asObject } from "../../../lib/fields.ts";
import type { SaidScan } from "../said-scan.ts";

export interface ShownPart {
  role: string;
  part: string | undefined;
  time?: number | undefined;
  tool?: string | undefined;
  text?: string;
}

/** What the scanner's bytes are, from now on. */
export function fill(scanner: ByteScanner, file: Buffer): Buffer {
  const bytes = file.subarray(0, scanner.bytes.length);
  bytes.copy(scanner.bytes);
  scanner.close(bytes.length);
  return bytes;
}

/** Undefined where the word is not, or it is not told. */
export function told(
  scanner: ByteScanner,
  scan: SaidScan,
  needle: Needle,
  starts: readonly number[],
  end: number,
  state = 0,
): ShownPart | undefined {
  const place = needle.findUnescaped(starts[0]!, end);
  const said = place < 0 ? undefined : scan.said(starts, end, place, state);
  if (said === undefined) return undefined;
  const { role, time, part, tool } = said;
  if (part === undefined) return { role, part };
  expect(needle.find(said.start, said.end)).toBe(said.place);
  const text = JSON.parse(`"${scanner.bytes.toString("utf8", said.start, said.end)}"`) as string;
  return { role, part, time, tool, text };
}

export function shown(message: SessionMessage, word: string): ShownPart {
  const { role, content, thinking = "", timestamp, toolCalls = [] } = message;
  const calls = toolCalls.flatMap(({ toolName, input }) =>
    [toolName, ...textsIn(input)].map((text) => ["call", text, toolName] as const),
  );
  const parts = [["content", content] as const, ["thinking", thinking] as const, ...calls];
  const found = parts.find(([, text]) => text.toLowerCase().includes(word));
  if (found === undefined) return { role, part: undefined };
  const [part, text, tool] = found;
  return { role, part, time: timestamp?.getTime(), tool, text };
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return (Array.isArray(value) ? value : Object.values(asObject(value) ?? {})).flatMap(textsIn);
}
