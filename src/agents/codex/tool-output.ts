/** What a tool gave back, from the four notations Codex has used. */
import { jsonText } from "../../lib/json.ts";
import { asArray, asNumber, asObject, asString, type Json } from "../../lib/fields.ts";

export interface ToolOutput {
  text: string;
  isError: boolean;
  durationMs?: number;
}

export function toolOutput(payload: Json): ToolOutput {
  const object = asObject(outputOf(payload));
  if (object) return { text: textOf(object["content"] ?? object), isError: object["success"] === false };
  const text = textOf(outputOf(payload));
  return wrapped(text) ?? { text, isError: isFailure(text) };
}

function outputOf(payload: Json): unknown {
  return payload["output"] ?? payload["tools"];
}

const WRAPPED = '{"output":';

/** Up to 0.58: `{"output":"…","metadata":{"exit_code":0,"duration_seconds":0.1}}` in a string. */
function wrapped(text: string): ToolOutput | undefined {
  if (!text.startsWith(WRAPPED)) return undefined;
  try {
    const result = asObject(JSON.parse(text));
    const output = asString(result?.["output"]);
    const metadata = asObject(result?.["metadata"]);
    if (output === undefined || metadata === undefined) return undefined;
    const seconds = asNumber(metadata["duration_seconds"]);
    return {
      text: output,
      isError: (asNumber(metadata["exit_code"]) ?? 0) !== 0,
      ...(seconds === undefined ? {} : { durationMs: Math.round(seconds * 1000) }),
    };
  } catch {
    // Cut by the output limit: shown as it is.
    return undefined;
  }
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
    const fields = asObject(part);
    const piece = asString(part) ?? asString(fields?.["text"]) ?? describe(fields);
    text += text === "" || text.endsWith("\n") ? piece : `\n${piece}`;
  }
  return text;
}

/** Pictures by their kind, everything else (the tools a search found) as JSON. */
function describe(part: Json | undefined): string {
  return /image/.test(asString(part?.["type"]) ?? "") ? "[image]" : JSON.stringify(part ?? null);
}
