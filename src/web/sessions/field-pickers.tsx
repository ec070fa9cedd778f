/** Menus with the values of a field. A choice is written into the filter text. */
import type { JSX } from "preact";
import { setParams } from "../state/route.ts";
import { baseName } from "../ui/figures.ts";
import { fieldIn, TEXT_FIELDS, valuesOf, withField, type TextField } from "./filter.ts";
import type { SessionRow } from "./rows.ts";

const DATES: readonly [value: string, label: string][] = [
  ["today", "Today"],
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
  ["30d", "Last 30 days"],
];

export function FieldPickers({ rows, query }: { rows: readonly SessionRow[]; query: string }): JSX.Element {
  return (
    <div class="pickers">
      {TEXT_FIELDS.map((field) => {
        const counts = countsOf(rows, field);
        if (counts.length < 2 && fieldIn(query, field) === "") return null;
        const options = counts.map(([value, count]): [string, string] => [
          value,
          `${field === "project" ? baseName(value) : value} (${count})`,
        ]);
        return <Picker key={field} field={field} label={field} options={options} query={query} />;
      })}
      <Picker field="after" label="time" options={DATES} query={query} />
    </div>
  );
}

interface PickerProps {
  field: string;
  label: string;
  options: readonly [value: string, label: string][];
  query: string;
}

function Picker({ field, label, options, query }: PickerProps): JSX.Element {
  const value = fieldIn(query, field);
  const isListed = options.some(([own]) => own === value);
  const name = `${label[0]!.toUpperCase()}${label.slice(1)}`;
  return (
    <select
      class={`picker ${value === "" ? "" : "set"}`}
      aria-label={name}
      value={value}
      onChange={(event) => setParams({ q: withField(query, field, event.currentTarget.value) })}
    >
      <option value="">{value === "" ? name : `Any ${label}`}</option>
      {value === "" || isListed ? null : <option value={value}>{value}</option>}
      {options.map(([own, words]) => (
        <option key={own} value={own}>
          {words}
        </option>
      ))}
    </select>
  );
}

/** Most frequent first. */
function countsOf(rows: readonly SessionRow[], field: TextField): [string, number][] {
  const counts = new Map<string, number>();
  for (const row of rows) for (const value of valuesOf(row, field)) counts.set(value, (counts.get(value) ?? 0) + 1);
  counts.delete("");
  return [...counts].sort((a, b) => b[1] - a[1]);
}
