/** Sessions as table rows, for lists and search results. */
import type { SessionSummary } from "../../core/session.ts";
import { tokensOf, type ListSort } from "../../history/list-order.ts";
import { localTime } from "../../lib/text/local-time.ts";
import type { Invocation } from "../command.ts";
import type { Output } from "../output.ts";
import { agentLabel } from "./agent-label.ts";
import { age, columnDigits, compact, costCell, count, duration } from "./figures.ts";
import { table, type Column } from "./table.ts";
import { tildePath } from "./tilde-path.ts";

export const SESSION_COLUMNS = [
  "date",
  "agent",
  "id",
  "title",
  "model",
  "turns",
  "cost",
  "directory",
  "age",
  "created",
  "duration",
  "messages",
  "tokens",
  "branch",
  "tags",
] as const;
export type SessionColumn = (typeof SESSION_COLUMNS)[number];

const USUAL: readonly SessionColumn[] = ["date", "agent", "id", "title", "model", "turns", "cost", "directory"];

/** What `--columns` asks for; an agent that was named is not said again in every row. */
export function columnsOf(invocation: Invocation, agent: string | undefined): readonly SessionColumn[] {
  const asked = invocation.text("columns")?.split(",") as SessionColumn[] | undefined;
  return asked ?? USUAL.filter((name) => name !== "agent" || agent === undefined);
}

/** What `--reverse` means for the order; titles go from A to Z without it. */
export function reversed(invocation: Invocation): "asc" | "desc" | undefined {
  if (!invocation.flag("reverse")) return undefined;
  return (invocation.text("sort") as ListSort | undefined) === "title" ? "desc" : "asc";
}

export function sessionTable(
  rows: readonly SessionSummary[],
  output: Output,
  {
    columns,
    where,
    ids = [],
  }: { columns: readonly SessionColumn[]; where?: (row: SessionSummary) => string; ids?: readonly string[] },
): string[] {
  const shorten = shortIds(ids);
  const now = Date.now();
  const digits = columnDigits(rows.map(({ cost }) => cost?.totalUsd));
  const dim = (text: string): string => output.style("dim", text);
  const known: Readonly<Record<SessionColumn, Column<SessionSummary>>> = {
    date: { title: "DATE", value: (row) => localTime(row.updatedAt, new Date(now)) },
    created: { title: "CREATED", value: (row) => localTime(row.createdAt, new Date(now)) },
    age: { title: "AGE", value: (row) => age(row.updatedAt, now), align: "right" },
    duration: {
      title: "DURATION",
      value: (row) => duration(row.updatedAt.getTime() - row.createdAt.getTime()),
      align: "right",
    },
    agent: {
      title: "AGENT",
      value: (row) => agentLabel(row.agent),
      min: 8,
      style: (text) => output.style("cyan", text),
    },
    id: { title: "ID", value: ({ sessionId }) => shorten(sessionId), style: dim },
    title: { title: "TITLE", value: titleOf, min: 20 },
    model: { title: "MODEL", value: (row) => row.model ?? "", min: 10, dispensable: 3, style: dim },
    turns: {
      title: "TURNS",
      value: (row) => (row.partial ? "–" : count(row.turnCount)),
      align: "right",
      dispensable: 2,
    },
    messages: { title: "MESSAGES", value: (row) => (row.partial ? "–" : count(row.messageCount)), align: "right" },
    tokens: {
      title: "TOKENS",
      value: ({ cost }) => (cost === undefined ? "–" : compact(tokensOf(cost))),
      align: "right",
    },
    cost: { title: "COST", value: (row) => costCell(row.cost, digits), align: "right", dispensable: 1 },
    directory: { title: "DIRECTORY", value: (row) => tildePath(row.cwd ?? ""), min: 12, dispensable: 4 },
    branch: { title: "BRANCH", value: (row) => row.branch ?? "", min: 8 },
    tags: { title: "TAGS", value: (row) => row.tags.join(", "), min: 8 },
  };
  const shown = columns.map((name) => known[name]);
  // After the agent, or first.
  if (where !== undefined) shown.splice(columns.indexOf("agent") + 1, 0, { title: "MACHINE", value: where });
  return table(rows, shown, output.width, (text) => output.style("bold", text));
}

function titleOf({ parentId, starred, inVault, title, tags }: SessionSummary): string {
  const marks = `${parentId === undefined ? "" : "↳ "}${starred === true ? "★ " : ""}${inVault === true ? "[vault] " : ""}`;
  return `${marks}${title === "" ? "(untitled)" : title}${tags.map((tag) => ` #${tag}`).join("")}`;
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
