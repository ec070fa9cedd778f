/** Sessions as table rows, for lists and search results. */
import type { SessionSummary } from "../../core/session.ts";
import type { Output } from "../output.ts";
import { age, costCell, count } from "./figures.ts";
import { table, type Column } from "./table.ts";

export function sessionTable(
  rows: readonly SessionSummary[],
  output: Output,
  options: { showAgent: boolean; where?: (row: SessionSummary) => string; ids?: readonly string[] },
): string[] {
  const shorten = shortIds(options.ids ?? []);
  const now = Date.now();
  const columns: Column<SessionSummary>[] = [
    { title: "AGE", value: (row) => age(row.updatedAt, now), align: "right" },
    ...(options.showAgent
      ? [
          {
            title: "AGENT",
            value: (row: SessionSummary) => row.agent,
            style: (text: string) => output.style("cyan", text),
          },
        ]
      : []),
    ...(options.where === undefined ? [] : [{ title: "MACHINE", value: options.where }]),
    { title: "ID", value: ({ sessionId }) => shorten(sessionId), style: (text) => output.style("dim", text) },
    {
      title: "TITLE",
      value: (row) => `${row.parentId === undefined ? "" : "↳ "}${row.title === "" ? "(untitled)" : row.title}`,
      min: 20,
    },
    {
      title: "MODEL",
      value: (row) => row.model ?? "",
      min: 10,
      dispensable: 3,
      style: (text) => output.style("dim", text),
    },
    { title: "TURNS", value: (row) => (row.partial ? "–" : count(row.turnCount)), align: "right", dispensable: 2 },
    { title: "COST", value: (row) => costCell(row.cost), align: "right", dispensable: 1 },
    { title: "DIRECTORY", value: (row) => homely(row.cwd ?? ""), min: 12, dispensable: 4 },
  ];
  return table(rows, columns, output.width, (text) => output.style("bold", text));
}

const SHORTEST_ID = 8;

/** The shortest unique prefixes among `all`; an id not among them is shown in full. */
export function shortIds(all: readonly string[]): (id: string) => string {
  const ids = [...all].sort();
  const short = new Map<string, number>();
  ids.forEach((id, index) => short.set(id, Math.max(shared(id, ids[index - 1]), shared(id, ids[index + 1])) + 1));
  return (id) => id.slice(0, Math.max(SHORTEST_ID, short.get(id) ?? id.length));
}

function shared(a: string, b = ""): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

export function homely(path: string): string {
  const home = process.env["HOME"];
  return home !== undefined && home !== "/" && (path === home || path.startsWith(`${home}/`))
    ? `~${path.slice(home.length)}`
    : path;
}
