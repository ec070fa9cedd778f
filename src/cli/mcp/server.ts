/** The methods of the MCP server. */
import { AgentMuxError } from "../../core/errors.ts";
import type { AgentMuxClient } from "../../index.ts";
import { asObject, asString, asText, type Json } from "../../lib/json/fields.ts";
import { wellFormedJson } from "../../lib/text/text.ts";
import type { Methods } from "./json-rpc.ts";
import { ACTING_TOOLS } from "./acting-tools.ts";
import { BLAME_TOOL } from "./blame-tool.ts";
import { CHANGES_TOOL } from "./changes-tool.ts";
import { HISTORY_TOOLS } from "./history-tools.ts";
import { LIVE_TOOLS } from "./live-tools.ts";
import { checkArguments, type Tool, type ToolContext } from "./tool.ts";

/** Versions with the same tool messages, newest first. */
const PROTOCOL_VERSIONS = ["2025-06-18", "2025-03-26", "2024-11-05"];

export interface ServerOptions {
  client: AgentMuxClient;
  version: string;
  /** The calling sessions: an agent does not see itself. */
  asking: ReadonlySet<string>;
  /** Also offer tools that change something. */
  mayWrite: boolean;
}

export function mcpMethods({ client, version, asking, mayWrite }: ServerOptions): Methods {
  const context: ToolContext = { client, isAsking: (id) => asking.has(id) };
  const all = [...HISTORY_TOOLS, CHANGES_TOOL, BLAME_TOOL, ...LIVE_TOOLS, ...ACTING_TOOLS];
  const tools = all.filter(({ writes }) => mayWrite || !writes);
  return (method, params) => {
    switch (method) {
      case "initialize":
        return Promise.resolve(initialize(params, version));
      case "ping":
        return Promise.resolve({});
      case "tools/list":
        return Promise.resolve({
          tools: tools.map(({ name, description, inputSchema, writes }) => ({
            name,
            description,
            inputSchema,
            annotations: { readOnlyHint: writes !== true },
          })),
        });
      case "tools/call":
        return callTool(params, tools, context);
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

/** A failing tool explains itself to the model; only an unknown tool is a protocol error. */
async function callTool(params: Json, tools: readonly Tool[], context: ToolContext): Promise<Json> {
  const name = asString(params["name"]) ?? "";
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) throw new AgentMuxError("VALIDATION_ERROR", `There is no tool ${name}.`);
  try {
    const args = asObject(params["arguments"] ?? {});
    if (args === undefined) throw new AgentMuxError("VALIDATION_ERROR", "arguments must be an object.");
    checkArguments(tool, args);
    const result = await tool.call(args, context);
    return { content: [{ type: "text", text: wellFormedJson(JSON.stringify(result)) }] };
  } catch (error) {
    return { content: [{ type: "text", text: (error as Error).message }], isError: true };
  }
}
