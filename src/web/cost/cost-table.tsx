import type { JSX } from "preact";
import type { CostBreakdown } from "../../core/cost.ts";
import { agentLabel } from "../state/agents.ts";
import { setParams, transcriptPath } from "../state/route.ts";
import { baseName, compact, money, plural } from "../ui/figures.ts";
import { Icon } from "../ui/icon.tsx";

/** Limits the table; the CSV has all rows. */
const SHOWN = 300;

interface Column {
  name: string;
  value(row: CostBreakdown): string | number;
  show(row: CostBreakdown): string;
  isWide?: boolean;
}

const COLUMNS: readonly Column[] = [
  { name: "cost", value: ({ totalUsd }) => totalUsd, show: priceOf },
  {
    name: "requests",
    value: ({ requestCount }) => requestCount,
    show: ({ requestCount }) => requestCount.toLocaleString(),
  },
  {
    name: "sessions",
    value: ({ sessionCount }) => sessionCount,
    show: ({ sessionCount }) => sessionCount.toLocaleString(),
    isWide: true,
  },
  { name: "tokens", value: tokensOf, show: (row) => compact(tokensOf(row)), isWide: true },
];

const TIMES = ["day", "week", "month"];

/** `sort` is a column's name, with `-` for the largest first; empty for the newest or the most expensive first. */
export function sortedRows(rows: readonly CostBreakdown[], group: string, sort: string): CostBreakdown[] {
  const wanted = sort === "" ? defaultSort(group) : sort;
  const name = wanted.replace(/^-/, "");
  const value = COLUMNS.find((column) => column.name === name)?.value ?? nameOf;
  const sign = wanted.startsWith("-") ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [left, right] = [value(a), value(b)];
    return sign * (typeof left === "string" ? left.localeCompare(String(right)) : left - Number(right));
  });
}

function defaultSort(group: string): string {
  return TIMES.includes(group) ? "-name" : "-cost";
}

function nameOf({ title, key }: CostBreakdown): string {
  return title || key;
}

function tokensOf(row: CostBreakdown): number {
  return row.inputTokens + row.cachedTokens + row.cacheWriteTokens + row.outputTokens;
}

export interface CostTableProps {
  group: string;
  sort: string;
  /** In order. */
  rows: readonly CostBreakdown[];
  /** The machine of sessions that can be opened; undefined for this one. */
  peer: string | undefined;
  onExplain(key: string): void;
}

/** Cost figures by group; a click shows the requests of a group. */
export function CostTable({ group, sort, rows, peer, onExplain }: CostTableProps): JSX.Element {
  const most = Math.max(...rows.map((row) => row.totalUsd), 0);
  return (
    <>
      <table class="cost-table">
        <thead>
          <tr>
            <SortHead name="name" label={group} sort={sort || defaultSort(group)} />
            {COLUMNS.map(({ name, isWide }) => (
              <SortHead
                key={name}
                name={name}
                label={name}
                sort={sort || defaultSort(group)}
                isNumber
                isWide={isWide}
              />
            ))}
            <td class="wide-only" />
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN).map((row) => (
            <tr key={row.key}>
              <th scope="row">
                <span class="cost-name">
                  <button type="button" class="quiet" title={`Explain ${row.key}`} onClick={() => onExplain(row.key)}>
                    {row.title ||
                      (group === "project" ? baseName(row.key) : group === "agent" ? agentLabel(row.key) : row.key)}
                  </button>
                  {group === "session" ? (
                    <a
                      class="icon-button"
                      href={transcriptPath(row.key, undefined, peer)}
                      aria-label={`Open ${row.title || row.key}`}
                    >
                      <Icon name="text" size={14} />
                    </a>
                  ) : null}
                </span>
              </th>
              {COLUMNS.map(({ name, show, isWide }) => (
                <td key={name} class={`number ${isWide === true ? "wide-only" : ""}`}>
                  {show(row)}
                </td>
              ))}
              <td class="wide-only">
                <span class="bar" style={{ width: `${most === 0 ? 0 : (100 * row.totalUsd) / most}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > SHOWN ? (
        <p class="muted">
          The first {SHOWN} of {plural(rows.length, "row")}. The CSV has all of them.
        </p>
      ) : null}
    </>
  );
}

interface SortHeadProps {
  name: string;
  label: string;
  sort: string;
  isNumber?: boolean;
  isWide?: boolean | undefined;
}

function SortHead({ name, label, sort, isNumber = false, isWide = false }: SortHeadProps): JSX.Element {
  const order = sort === name ? "ascending" : sort === `-${name}` ? "descending" : undefined;
  // Numbers sort in descending order first.
  const next = order === undefined ? (isNumber ? `-${name}` : name) : order === "ascending" ? `-${name}` : name;
  const classes = [isNumber ? "number" : "", isWide ? "wide-only" : ""].join(" ");
  return (
    <th scope="col" class={classes} {...(order === undefined ? {} : { "aria-sort": order })}>
      <button
        type="button"
        class="quiet small"
        aria-label={`Sort by ${label}`}
        onClick={() => setParams({ sort: next })}
      >
        {label}
        {order === undefined ? "" : order === "ascending" ? " ↑" : " ↓"}
      </button>
    </th>
  );
}

/** An unknown cost is not shown as zero. */
function priceOf({ totalUsd, kind }: CostBreakdown): string {
  if (totalUsd === 0 && (kind === "unknown" || kind === "unpriced")) return "unknown";
  return kind === "reported" || kind === "computed" ? money(totalUsd) : `≥ ${money(totalUsd)}`;
}
