/** The meaning of a tool call for files and the shell, from a table of the agent's tool names. */
import type { EventBody } from "../../core/agent-event.ts";
import { asObject, asString, asText } from "../../lib/json/fields.ts";

/** `path`, `content` and `command` name fields of the tool's input. */
export type ToolMeaning =
  | { is: "file_read" | "file_delete" | "file_patch"; path: string }
  | { is: "file_write" | "file_create"; path: string; content: string }
  | { is: "shell"; command: string };

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

function fileFact(
  meaning: Exclude<ToolMeaning, { is: "shell" }>,
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
