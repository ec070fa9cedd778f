/** What a tool of the MCP server is, and how its arguments are described. */
import type { AgentMuxClient } from "../../index.ts";
import type { Json } from "../../lib/fields.ts";

export interface ToolContext {
  client: AgentMuxClient;
  /** By unified id, or by the id of a session in a terminal: an agent is not shown itself. */
  isAsking(id: string): boolean;
}

export interface Tool {
  name: string;
  description: string;
  inputSchema: Json;
  /** Changes something; served only when the server was started with leave to. */
  writes?: true;
  call(args: Json, context: ToolContext): Promise<unknown>;
}

export const text = (description: string): Json => ({ type: "string", description });
export const number = (description: string): Json => ({ type: "integer", minimum: 0, description });

export function schema(properties: Json, required: readonly string[] = []): Json {
  return { type: "object", properties, required, additionalProperties: false };
}
