/** Shows the kinds of cost figures, and what they do not include. */
import type { JSX } from "preact";
import type { CostKind, CostSummary } from "../../core/cost.ts";
import { money, plural } from "../ui/figures.ts";

const WORDS: Record<CostKind, string> = {
  reported: "reported by the agent",
  computed: "computed from tokens",
  "lower-bound": "at least: the final count is missing",
  unpriced: "no price known for the model",
  unknown: "no usage data",
};

export function CostKinds({ summary: { kinds, skipped, prices } }: { summary: CostSummary }): JSX.Element {
  const shown = (Object.keys(WORDS) as CostKind[]).filter((kind) => kinds[kind].requests > 0);
  return (
    <ul class="kinds">
      {shown.map((kind) => (
        <li key={kind} class={kind}>
          <span>{WORDS[kind]}</span>
          <span class="muted">
            {plural(kinds[kind].requests, kind === "unknown" ? "session" : "request")}
            {kind === "unknown" || kind === "unpriced" ? "" : ` · ${money(kinds[kind].usd)}`}
          </span>
        </li>
      ))}
      {skipped === 0 ? null : (
        <li class="unknown">{plural(skipped, "file")} could not be read; amux doctor names them</li>
      )}
      <li class="muted">prices of {prices.version}</li>
    </ul>
  );
}
