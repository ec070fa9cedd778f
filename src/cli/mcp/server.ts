/** The methods of an MCP server that an agent's tools come through. */
import type { AgentMuxClient } from "../../index.ts";
import { asObject, asString, asText, type Json } from "../../lib/fields.ts";
import type { Methods } from "./json-rpc.ts";
import { TOOLS } from "./tools.ts";

/** Versions whose messages are the same as far as tools go, newest first. */
const PROTOCOL_VERSIONS = ["2025-06-18", "2025-03-26", "2024-11-05"];

export interface ServerOptions {
  client: AgentMuxClient;
  version: string;
  /** The sessions that ask, as unified ids: an agent is not shown itself. */
  asking: ReadonlySet<string>;
}

export function mcpMethods({ client, version, asking }: ServerOptions): Methods {
  const isAsking = (unifiedId: string): boolean => asking.has(unifiedId);
  return (method, params) => {
    switch (method) {
      case "initialize":
        return Promise.resolve(initialize(params, version));
      case "ping":
        return Promise.resolve({});
      case "tools/list":
        return Promise.resolve({
          tools: TOOLS.map(({ name, description, inputSchema }) => ({
            name,
            description,
            inputSchema,
            annotations: { readOnlyHint: true },
          })),
        });
      case "tools/call":
        return callTool(params, client, isAsking);
      default:
        return undefined;
    }
  };
}

function initialize(params: Json, version: string): Json {
  const wanted = asText(params["protocolVersion"]);
  return {
    protocolVersion: PROTOCOL_VERSIONS.find((known) => known === wanted) ?? PROTOCOL_VERSIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name: "amux", version },
  };
}

/** A tool that fails tells the model why; only a tool that does not exist is the protocol's business. */
async function callTool(params: Json, client: AgentMuxClient, isAsking: (id: string) => boolean): Promise<Json> {
  const name = asString(params["name"]) ?? "";
  const tool = TOOLS.find((candidate) => candidate.name === name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  try {
    const result = await tool.call(asObject(params["arguments"]) ?? {}, client, isAsking);
    return { content: [{ type: "text", text: JSON.stringify(result) }] };
  } catch (error) {
    return { content: [{ type: "text", text: (error as Error).message }], isError: true };
  }
}
