/** The manifests of Pi, omp and OpenClaw as figures. */
import { NO_TOKENS, type Figures, type Tokens } from "./recorded-home.ts";

interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  reasoning?: number;
}

/** One transcript, as an independent reader counted it. */
export interface RecordedTree {
  header: { id: string; cwd: string; parentSession: string | null };
  activeBranch: {
    messages: { assistant: number; toolResult: number };
    userPrompts: string[];
    tools: string[];
    unansweredToolCalls: string[];
    models: string[];
  };
  wholeTree: { usageAll: Usage & { costUsd: number } };
  firstPrompt: string;
  name: string | null;
}

export interface RecordedScenario {
  id: string;
  sessions: { file: string; subagentOf?: string; expected: RecordedTree }[];
  /** What the mock model reported. */
  mockModelUsage: Usage;
  usageCheck: string;
}

/** Input without the cache, output with reasoning, as amux counts. */
export function tokensIn({ input, output, cacheRead, cacheWrite, reasoning = 0 }: Usage): Tokens {
  return { input, cached: cacheRead, cacheWrite, output, thinking: reasoning };
}

/**
 * The conversation is the active branch, the bill that of the whole tree. `refused` requests are recorded as answers; amux shows
 * an error and counts no turn.
 */
export function treeFigures(tree: RecordedTree, refused = 0): Figures {
  const { header, activeBranch, wholeTree } = tree;
  const { costUsd, ...usage } = wholeTree.usageAll;
  const replies = activeBranch.messages.assistant - refused;
  return {
    title: tree.name ?? tree.firstPrompt,
    cwd: header.cwd,
    archived: false,
    prompts: activeBranch.userPrompts,
    inherited: [],
    turns: replies === 0 ? 0 : activeBranch.userPrompts.length - refused,
    replies,
    tools: activeBranch.tools,
    results: activeBranch.messages.toolResult,
    models: [...new Set(activeBranch.models.map((model) => model.replace(/^.*\//, "")))],
    ...(replies === 0 ? { tokens: NO_TOKENS } : { tokens: tokensIn(usage), kind: "reported", usd: costUsd }),
  };
}
