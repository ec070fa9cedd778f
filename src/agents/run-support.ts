/**
 * The part of an adapter that starts an agent without a terminal: which options it can honour, the command line for a
 * prompt, and how what it prints becomes events. Starting, stopping and timing the process is the caller's business.
 */
import type { EventBody } from "../core/agent-event.ts";
import type { ApprovalMode, McpServer, SystemPromptMode, ThinkingEffort } from "../core/run-options.ts";
import type { InteractionAnswer } from "../core/run-result.ts";
import type { AgentEnv } from "./agent-env.ts";

/** What only the agent can do; an option that is given and not among `honours` is refused. */
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
  /** Text comes piece by piece; else whole messages. */
  readonly streamsText: boolean;
  /** Can ask for approval while it runs; else what happens to a tool that needs it, as one sentence. */
  readonly approvals: true | string;
  /** It asks by a hook or module of ours, before every tool that changes something; by itself it asks nobody. */
  readonly gated?: true;
  /** The dollars it reports include its sub-agents'. */
  readonly billsSubagents?: true;
  /** By which the programs it starts learn the id of its session. */
  readonly sessionVariable?: string;
  readonly credentials: Credentials;
  prepare(request: RunRequest, context: RunContext): PreparedRun;
}

/** Where an agent's sign-in can be seen from outside. No secret is ever read. */
export interface Credentials {
  readonly variables: readonly string[];
  /** Of which one is there, and not empty, when somebody is signed in. */
  files(env: AgentEnv): string[];
  /** What a user does to sign in. */
  readonly guidance: string;
}

/** Options after validation, with everything the caller does itself taken out. */
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
  /** Absent: whatever the user configured in the agent itself. */
  readonly approvalMode?: ApprovalMode;
  /** Somebody is there to answer requests for approval. */
  readonly asks: boolean;
  /** Text piece by piece is wanted. */
  readonly streams: boolean;
  /** Further prompts may follow on standard input. */
  readonly converses: boolean;
}

export type SessionChoice =
  | { readonly kind: "new" }
  | { readonly kind: "none" }
  | { readonly kind: "resume"; readonly id: string }
  | { readonly kind: "fork"; readonly id: string; readonly copy?: MadeCopy };

/** A copy of a session that was made for this fork: a session of its own by now, or a file that is to become one. */
export interface MadeCopy {
  readonly sessionId?: string;
  readonly file: string;
}

/** The session that is opened and gone on with as it is. */
export function openedSession(session: SessionChoice): string | undefined {
  if (session.kind === "resume") return session.id;
  return session.kind === "fork" ? session.copy?.sessionId : undefined;
}

/** Where a hook of ours asks for approval, and what runs it. */
export interface AskPlace {
  readonly socket: string;
  readonly node: string;
}

export interface RunContext {
  readonly env: AgentEnv;
  /** Present when somebody answers and the agent is `gated`. */
  readonly ask?: AskPlace;
  /** Writes a private file that is removed after the run, and answers its path. */
  readonly scratch: (name: string, content: string) => string;
  /** The same for files that belong together; answers their directory. */
  readonly scratchFolder: (name: string, files: Readonly<Record<string, string>>) => string;
  readonly now: () => number;
}

export interface PreparedRun {
  /** After the program's name; never a shell string. */
  readonly args: readonly string[];
  /** Written to standard input, which is then closed unless the stream listens. */
  readonly stdin?: string;
  /** Changes to the environment; undefined takes a variable away. */
  readonly vars?: Readonly<Record<string, string | undefined>>;
  readonly fallbacks?: readonly { capability: string; reason: string }[];
  readonly stream: AgentStream;
}

export interface ProcessExit {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly stderr: string;
}

/** Reads what one process prints and, where the agent listens, words what is written to it. */
export interface AgentStream {
  /** What is known as soon as the process runs, before it has said anything. */
  begin?(): EventBody[];
  /** A line of standard output without its break. Never throws; a line nobody knows becomes a `log` event. */
  line(text: string): EventBody[];
  /** After the last line: what was still open, and what the end of the process says beyond its output. */
  end(exit: ProcessExit): EventBody[];
  /** Another prompt; present when standard input stays open. */
  prompt?(text: string): string;
  interrupt?(): string;
  answer?(interactionId: string, answer: InteractionAnswer): string | undefined;
}
