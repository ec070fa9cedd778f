/** Parses tool output in the four notations that Codex has used. */
import { asArray, type Json } from "../../lib/json/fields.ts";
import { jsonText, parseObject } from "../../lib/json/json.ts";
import { outputOf, outputPart, wrappedOutput, WRAPPED_START } from "./format-items.ts";

interface ToolOutput {
  text: string;
  isError: boolean;
  durationMs?: number;
}

export function toolOutput(payload: Json): ToolOutput {
  const { output, hasFailed } = outputOf(payload);
  const text = textOf(output);
  if (hasFailed !== undefined) return { text, isError: hasFailed };
  // Output that was cut by the limit is shown as is.
  const wrapped = text.startsWith(WRAPPED_START) ? parseObject(text) : undefined;
  return (wrapped && wrappedOutput(wrapped)) ?? { text, isError: isFailure(text) };
}

const EXIT_CODE = /^(?:Chunk ID: .*\n)?(?:Wall time: .*\n)?(?:Process exited with code|Exit code:) (-?\d+)/;

function isFailure(text: string): boolean {
  const code = EXIT_CODE.exec(text.slice(0, 300))?.[1];
  if (code !== undefined) return code !== "0";
  return text.startsWith("Script failed") || /^(?:Wall time: .*\n)?aborted by user/.test(text);
}

function textOf(output: unknown): string {
  if (typeof output === "string") return output;
  const parts = asArray(output);
  if (parts === undefined) return output == null ? "" : jsonText(output);
  let text = "";
  for (const part of parts) {
    const piece = outputPart(part);
    text += text === "" || text.endsWith("\n") ? piece : `\n${piece}`;
  }
  return text;
}
