/** Aligns two conversations: equal messages by longest common subsequence, the gaps between them by role. */
import { jsonText } from "../lib/json/json.ts";
import type { DiffOperation, SessionDiff } from "../core/diff.ts";
import type { SessionMessage } from "../core/session.ts";
import { commonPositions } from "../lib/values/lcs.ts";

/** Larger gaps are too expensive to align by role; their messages are paired in order. */
const MAX_GAP_PRODUCT = 1_000_000;

export function diffMessages(
  a: readonly SessionMessage[],
  b: readonly SessionMessage[],
): Pick<SessionDiff, "operations" | "stats"> {
  const operations: DiffOperation[] = [];
  let [i, j] = [0, 0];
  for (const [matchA, matchB] of [...commonPositions(a.map(keyOf), b.map(keyOf)), [a.length, b.length] as const]) {
    for (const operation of gap(a, i, matchA, b, j, matchB)) operations.push(operation);
    if (matchA < a.length) {
      operations.push({
        type: "unchanged",
        indexA: matchA,
        indexB: matchB,
        messageA: a[matchA]!,
        messageB: b[matchB]!,
      });
    }
    [i, j] = [matchA + 1, matchB + 1];
  }
  const stats = { removals: 0, additions: 0, modifications: 0, unchanged: 0 };
  for (const { type } of operations) stats[PLURAL[type]]++;
  return { operations, stats };
}

/** Text and tool calls: most messages of agents have no text, only a call or its result. */
function keyOf({ role, content, toolCalls = [], toolResult }: SessionMessage): string {
  const calls = toolCalls.map(({ toolName, input }) => [toolName, input]);
  const result = toolResult && [toolResult.toolName, content === "" ? toolResult.output : ""];
  const done = calls.length === 0 && result === undefined ? "" : jsonText([calls, result]);
  return `${role}\0${content}\0${done}`;
}

const PLURAL = {
  removal: "removals",
  addition: "additions",
  modification: "modifications",
  unchanged: "unchanged",
} as const;

/** Between two equal messages, messages of the same role in the same place are modifications of each other. */
function gap(
  a: readonly SessionMessage[],
  a0: number,
  a1: number,
  b: readonly SessionMessage[],
  b0: number,
  b1: number,
): DiffOperation[] {
  const pairs = pairByRole(a, a0, a1, b, b0, b1);
  const operations: DiffOperation[] = [];
  let [i, j] = [a0, b0];
  for (const [pairA, pairB] of [...pairs, [a1, b1] as const]) {
    for (; i < pairA; i++) operations.push({ type: "removal", indexA: i, messageA: a[i]! });
    for (; j < pairB; j++) operations.push({ type: "addition", indexB: j, messageB: b[j]! });
    if (pairA < a1)
      operations.push({ type: "modification", indexA: i, indexB: j, messageA: a[i++]!, messageB: b[j++]! });
  }
  return operations;
}

function pairByRole(
  a: readonly SessionMessage[],
  a0: number,
  a1: number,
  b: readonly SessionMessage[],
  b0: number,
  b1: number,
): (readonly [number, number])[] {
  if ((a1 - a0) * (b1 - b0) <= MAX_GAP_PRODUCT) {
    const roles = (messages: readonly SessionMessage[]): string[] => messages.map(({ role }) => role);
    return commonPositions(roles(a.slice(a0, a1)), roles(b.slice(b0, b1))).map(([i, j]) => [a0 + i, b0 + j]);
  }
  const pairs: [number, number][] = [];
  for (let k = 0; a0 + k < a1 && b0 + k < b1; k++)
    if (a[a0 + k]!.role === b[b0 + k]!.role) pairs.push([a0 + k, b0 + k]);
  return pairs;
}
