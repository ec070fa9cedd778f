/** An MCP tool, and how its arguments are described. */
import { AgentMuxError } from "../../core/errors.ts";
import type { AgentMuxClient } from "../../index.ts";
import { asObject, type Json } from "../../lib/json/fields.ts";

export interface ToolContext {
  client: AgentMuxClient;
  /** By unified id or terminal session id: an agent does not see itself. */
  isAsking(id: string): boolean;
}

export interface Tool {
  name: string;
  description: string;
  inputSchema: Json;
  /** Changes something; offered only if the server was started with permission. */
  writes?: true;
  call(args: Json, context: ToolContext): Promise<unknown>;
}

export const text = (description: string): Json => ({ type: "string", description });
export const number = (description: string): Json => ({ type: "integer", minimum: 0, description });

export const MAX_TOKENS = { max_tokens: number("approximate size of the answer in tokens") };

export function schema(properties: Json, required: readonly string[] = []): Json {
  return { type: "object", properties, required, additionalProperties: false };
}

/** Throws for invalid arguments. A missing, mistyped or unknown one would silently mean another query. */
export function checkArguments({ inputSchema }: Tool, args: Json): void {
  const properties = asObject(inputSchema["properties"]) ?? {};
  for (const name of inputSchema["required"] as string[])
    if (args[name] === undefined) throw wrong(`${name} is missing: ${kindOf(properties[name])}.`);
  for (const [name, value] of Object.entries(args)) {
    if (!Object.hasOwn(properties, name)) {
      const known = Object.keys(properties);
      throw wrong(`There is no argument ${name}${known.length > 0 ? `, only ${known.join(", ")}` : ""}.`);
    }
    if (!fits(asObject(properties[name])!, value)) throw wrong(`${name} must be ${kindOf(properties[name])}.`);
  }
}

function fits({ type, enum: choices }: Json, value: unknown): boolean {
  if (Array.isArray(choices)) return choices.includes(value);
  return type === "integer" ? Number.isInteger(value) && (value as number) >= 0 : typeof value === type;
}

function kindOf(property: unknown): string {
  const { type, enum: choices, description } = asObject(property) ?? {};
  if (Array.isArray(choices)) return `one of ${choices.join(", ")}`;
  const kind = type === "string" ? "a text" : type === "boolean" ? "true or false" : "a whole number from 0 up";
  return `${kind} (${String(description)})`;
}

export function wrong(message: string): AgentMuxError {
  return new AgentMuxError("VALIDATION_ERROR", message);
}
