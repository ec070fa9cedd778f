/** The facts of a session as label and text, for the readable formats. */
import type { CostRecord } from "../../core/cost.ts";
import type { SessionSummary } from "../../core/session.ts";

export function factsOf(summary: SessionSummary): [label: string, value: string][] {
  const facts: [string, string | undefined][] = [
    ["Session", summary.unifiedId],
    ["Model", summary.model],
    ["Directory", summary.cwd],
    ["Branch", summary.branch],
    ["Created", summary.createdAt.toISOString()],
    ["Updated", summary.updatedAt.toISOString()],
    ["Turns", String(summary.turnCount)],
    ["Messages", String(summary.messageCount)],
    ["Forked from", summary.forkedFrom],
    ["Sub-agent of", summary.parentId],
    ["File", summary.inVault ? "gone; read from the vault" : undefined],
    ["Tags", summary.tags.length > 0 ? summary.tags.join(", ") : undefined],
    ["Agent version", summary.agentVersion],
    ["Redacted", redactedText(summary.redacted)],
    ["Cost", summary.cost ? costText(summary.cost) : undefined],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== undefined);
}

function redactedText(count: number | undefined): string | undefined {
  return count === undefined ? undefined : `${count} ${count === 1 ? "value was" : "values were"} taken out`;
}

export function costText(cost: CostRecord): string {
  if (cost.kind === "unknown") return "unknown (the agent writes no token counts)";
  if (cost.kind === "unpriced") return "no price known for the model";
  return `$${cost.totalUsd.toFixed(4)} (${cost.kind ?? "computed"})`;
}

export function tokenFacts(cost: CostRecord): [label: string, value: string][] {
  const counts: [string, number | undefined][] = [
    ["Input tokens", cost.inputTokens],
    ["Cache reads", cost.cachedTokens],
    ["Cache writes", cost.cacheWriteTokens],
    ["Output tokens", cost.outputTokens],
    ["of which thinking", cost.thinkingTokens],
  ];
  return counts
    .filter(([, count]) => count !== undefined && count > 0)
    .map(([label, count]) => [label, count!.toLocaleString("en-US")]);
}
