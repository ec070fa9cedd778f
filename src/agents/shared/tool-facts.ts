/** The meaning of a tool call for files, the shell and sub-agents, from a table of the agent's tool names. */
import type { EventBody } from "../../core/agent-event.ts";
import { asObject, asString, asText } from "../../lib/json/fields.ts";

/** `path`, `content`, `command` and `names` are fields of the tool's input. A sub-agent's task is its `prompt`. */
export type ToolMeaning =
  | { is: "file_read" | "file_delete" | "file_patch"; path: string }
  | { is: "file_write" | "file_create"; path: string; content: string }
  | { is: "shell"; command: string }
  | { is: "subagent"; names: readonly string[] };

export interface ToolTable {
  readonly tools: Readonly<Record<string, ToolMeaning>>;
  /** Matches tool names of MCP servers; groups `server` and `tool`. */
  readonly mcp?: RegExp;
}

export interface ToolOutcome {
  output?: unknown;
  error?: string;
  durationMs?: number;
  exitCode?: number;
  diff?: string;
}

interface Call {
  id: string;
  name: string;
  input: unknown;
}

export function factsOfStart({ tools, mcp }: ToolTable, { id, name, input }: Call, cwd: string): EventBody[] {
  const meaning = tools[name];
  if (meaning?.is === "shell") {
    // Some tools run several commands.
    const commands = [asObject(input)?.[meaning.command]].flat().flatMap((command) => asString(command) ?? []);
    return [{ type: "shell_start", command: commands.join("\n"), cwd }];
  }
  if (meaning?.is === "subagent") {
    const prompt = asString(asObject(input)?.["prompt"]) ?? "";
    return [{ type: "subagent_spawn", subagentId: id, agentName: agentNameIn(meaning, input), prompt }];
  }
  const { server, tool } = mcp?.exec(name)?.groups ?? {};
  return server === undefined || tool === undefined
    ? []
    : [{ type: "mcp_tool_call_start", toolCallId: id, server, toolName: tool, input }];
}

export function factsOfEnd(
  { tools, mcp }: ToolTable,
  call: Call,
  outcome: ToolOutcome,
  durationMs: number,
): EventBody[] {
  const meaning = tools[call.name];
  if (meaning?.is === "shell") return [{ type: "shell_exit", exitCode: outcome.exitCode ?? null, durationMs }];
  if (meaning?.is === "subagent") {
    const named = { subagentId: call.id, agentName: agentNameIn(meaning, call.input) };
    return outcome.error === undefined
      ? [{ type: "subagent_result", ...named, summary: asString(outcome.output) ?? "" }]
      : [{ type: "subagent_error", ...named, error: outcome.error }];
  }
  if (meaning) return outcome.error === undefined ? fileFact(meaning, call.input, outcome.diff) : [];
  const { server, tool } = mcp?.exec(call.name)?.groups ?? {};
  if (server === undefined || tool === undefined) return [];
  const named = { toolCallId: call.id, server, toolName: tool };
  return [
    outcome.error === undefined
      ? { type: "mcp_tool_result", ...named, output: outcome.output }
      : { type: "mcp_tool_error", ...named, error: outcome.error },
  ];
}

function agentNameIn({ names }: Extract<ToolMeaning, { is: "subagent" }>, input: unknown): string {
  const fields = asObject(input);
  return names.map((name) => asText(fields?.[name])).find((name) => name !== undefined) ?? "agent";
}

function fileFact(
  meaning: Exclude<ToolMeaning, { is: "shell" | "subagent" }>,
  input: unknown,
  diff: string | undefined,
): EventBody[] {
  const fields = asObject(input);
  const path = asText(fields?.[meaning.path]);
  if (path === undefined) return [];
  switch (meaning.is) {
    case "file_read":
    case "file_delete":
      return [{ type: meaning.is, path }];
    case "file_patch":
      return [{ type: "file_patch", path, ...(diff === undefined ? {} : { diff }) }];
    default: {
      const content = asString(fields?.[meaning.content]);
      const size = content === undefined ? {} : { byteCount: Buffer.byteLength(content) };
      return [{ type: meaning.is, path, ...size }];
    }
  }
}
