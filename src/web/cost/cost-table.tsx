import type { JSX } from "preact";
import type { CostBreakdown } from "../../core/cost.ts";
import { baseName, compact, money } from "../ui/figures.ts";

/** Limits the table; the CSV has all rows. */
const SHOWN = 300;

export interface CostTableProps {
  group: string;
  rows: readonly CostBreakdown[];
  onExplain(key: string): void;
}

/** Cost figures by group; a click shows the requests of a group. */
export function CostTable({ group, rows, onExplain }: CostTableProps): JSX.Element {
  const most = Math.max(...rows.map((row) => row.totalUsd), 0);
  return (
    <table class="cost-table">
      <thead>
        <tr>
          <th scope="col">{group}</th>
          <th scope="col" class="number">
            cost
          </th>
          <td class="wide-only" />
          <th scope="col" class="number">
            requests
          </th>
          <th scope="col" class="number wide-only">
            sessions
          </th>
          <th scope="col" class="number wide-only">
            tokens
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, SHOWN).map((row) => (
          <tr key={row.key}>
            <th scope="row">
              <button type="button" class="quiet" title={`Explain ${row.key}`} onClick={() => onExplain(row.key)}>
                {group === "project" ? baseName(row.key) : row.key}
              </button>
            </th>
            <td class="number">{priceOf(row)}</td>
            <td class="wide-only">
              <span class="bar" style={{ width: `${most === 0 ? 0 : (100 * row.totalUsd) / most}%` }} />
            </td>
            <td class="number">{row.requestCount.toLocaleString()}</td>
            <td class="number wide-only">{row.sessionCount.toLocaleString()}</td>
            <td class="number wide-only">
              {compact(row.inputTokens + row.cachedTokens + row.cacheWriteTokens + row.outputTokens)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** An unknown cost is not shown as zero. */
function priceOf({ totalUsd, kind }: CostBreakdown): string {
  if (totalUsd === 0 && (kind === "unknown" || kind === "unpriced")) return "unknown";
  return kind === "reported" || kind === "computed" ? money(totalUsd) : `≥ ${money(totalUsd)}`;
}
