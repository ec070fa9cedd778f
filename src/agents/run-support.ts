/**
 * The part of an adapter that runs an agent without a terminal: supported options, the command line for a prompt, and the
 * conversion of output to events. The caller starts, stops and times the process.
 */
import type { EventBody } from "../core/agent-event.ts";
import type { ApprovalMode, McpServer, SystemPromptMode, ThinkingEffort } from "../core/run-options.ts";
import type { InteractionAnswer } from "../core/run-result.ts";
import type { AgentEnv } from "./agent-env.ts";

/** Options that only the agent can implement; a given option that is not in `honours` is refused. */
export const AGENT_OPTIONS = [
  "model",
  "systemPrompt",
  "attachments",
  "thinkingEffort",
  "thinkingBudgetTokens",
  "thinkingOverride",
  "temperature",
  "topP",
  "topK",
  "maxTokens",
  "maxOutputTokens",
  "sessionId",
  "forkSessionId",
  "noSession",
  "maxTurns",
  "skills",
  "agentsDoc",
  "mcpServers",
  "yolo",
  "deny",
] as const;
export type AgentOption = (typeof AGENT_OPTIONS)[number];

export interface RunSupport {
  readonly honours: readonly AgentOption[];
  /** Why an option is refused, where "cannot" alone would not help. */
  readonly refusals?: Readonly<Partial<Record<AgentOption, string>>>;
  /** Text arrives in pieces; otherwise as whole messages. */
  readonly streamsText: boolean;
  /** It can ask for approval during a run. Otherwise one sentence: what happens to a tool that needs it. */
  readonly approvals: true | string;
  /** It asks through our hook or module before every tool that changes something; by itself it does not ask. */
  readonly gated?: true;
  /** The dollars it reports include its sub-agents'. */
  readonly billsSubagents?: true;
  /** The variable that gives the session id to programs it starts. */
  readonly sessionVariable?: string;
  readonly credentials: Credentials;
  prepare(request: RunRequest, context: RunContext): PreparedRun;
}

/** How to see from outside whether an agent is signed in. No secret is ever read. */
export interface Credentials {
  readonly variables: readonly string[];
  /** One of these exists and is not empty if the user is signed in. */
  files(env: AgentEnv): string[];
  /** How the user signs in. */
  readonly guidance: string;
}

/** Validated options, without those the caller implements. */
export interface RunRequest {
  readonly prompt: string;
  readonly cwd: string;
  readonly session: SessionChoice;
  readonly model?: string;
  readonly systemPrompt?: { text: string; mode: SystemPromptMode };
  readonly attachments: readonly { path: string; mimeType?: string }[];
  readonly thinkingEffort?: ThinkingEffort;
  readonly thinkingBudgetTokens?: number;
  readonly maxOutputTokens?: number;
  readonly maxTurns?: number;
  readonly mcpServers: readonly McpServer[];
  /** Absent: the agent's own configuration applies. */
  readonly approvalMode?: ApprovalMode;
  /** Somebody can answer approval requests. */
  readonly asks: boolean;
  /** Text is wanted in pieces. */
  readonly streams: boolean;
  /** Further prompts may follow on standard input. */
  readonly converses: boolean;
}

export type SessionChoice =
  | { readonly kind: "new" }
  | { readonly kind: "none" }
  | { readonly kind: "resume"; readonly id: string }
  | { readonly kind: "fork"; readonly id: string; readonly copy?: MadeCopy };

/** A copy of a session made for this fork: already a session, or a file to become one. */
export interface MadeCopy {
  readonly sessionId?: string;
  readonly file: string;
}

/** The session that is opened and continued as is. */
export function openedSession(session: SessionChoice): string | undefined {
  if (session.kind === "resume") return session.id;
  return session.kind === "fork" ? session.copy?.sessionId : undefined;
}

/** Where our hook asks for approval, and what runs it. */
export interface AskEndpoint {
  readonly socket: string;
  readonly node: string;
}

export interface RunContext {
  readonly env: AgentEnv;
  /** Present if somebody answers and the agent is `gated`. */
  readonly ask?: AskEndpoint;
  /** Writes a private file that is removed after the run; returns its path. */
  readonly scratch: (name: string, content: string) => string;
  /** The same for several files; returns their directory. */
  readonly scratchFolder: (name: string, files: Readonly<Record<string, string>>) => string;
  readonly now: () => number;
}

export interface PreparedRun {
  /** Without the program's name; never a shell string. */
  readonly args: readonly string[];
  /** Written to standard input, which is then closed unless the stream listens. */
  readonly stdin?: string;
  /** Changes to the environment; undefined removes a variable. */
  readonly vars?: Readonly<Record<string, string | undefined>>;
  readonly fallbacks?: readonly { capability: string; reason: string }[];
  readonly stream: AgentStream;
}

export interface ProcessExit {
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  readonly stderr: string;
}

/** Parses the output of one process and, if the agent listens, encodes its input. */
export interface AgentStream {
  /** Events that are known when the process starts, before any output. */
  begin?(): EventBody[];
  /** A line of standard output without its line break. Never throws; an unknown line becomes a `log` event. */
  line(text: string): EventBody[];
  /** After the last line: ends what is open, and adds what the exit status shows. */
  end(exit: ProcessExit): EventBody[];
  /** What the lines so far require to be sent: the answers of a protocol. Asked for after each line. */
  replies?(): string;
  /** Another prompt; present if standard input stays open. */
  prompt?(text: string): string;
  interrupt?(): string;
  answer?(interactionId: string, answer: InteractionAnswer): string | undefined;
}
