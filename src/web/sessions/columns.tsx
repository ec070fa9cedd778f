/** The columns of the sessions table. */
import type { ComponentChildren } from "preact";
import { AgentBadge } from "../ui/agent-badge.tsx";
import { baseName, money } from "../ui/figures.ts";
import { SessionDot } from "../ui/session-dot.tsx";
import { clock, fullTime } from "../ui/times.ts";
import type { SessionRow } from "./rows.ts";

export interface Column {
  name: string;
  label: string;
  /** The width in the grid template. */
  width: string;
  isNumber?: boolean;
  /** The sort key; undefined sorts last. */
  value(row: SessionRow): string | number | undefined;
  show(row: SessionRow): ComponentChildren;
  /** The full text of a truncated cell. */
  title?(row: SessionRow): string;
}

const text = (name: keyof SessionRow & ("model" | "branch"), label: string): Column => ({
  name,
  label,
  width: "minmax(70px, 0.7fr)",
  value: (row) => row[name] || undefined,
  show: (row) => row[name],
  title: (row) => row[name],
});

const date = (name: "started" | "updated", label: string): Column => ({
  name,
  label,
  width: "118px",
  isNumber: true,
  // Running sessions count as the newest.
  value: (row) => (name === "updated" && row.isRunning ? "now" : row[name]),
  show: (row) => (name === "updated" && row.isRunning ? "now" : clock(row[name])),
  title: (row) => fullTime(row[name]),
});

export const COLUMNS: readonly Column[] = [
  {
    name: "state",
    label: "State",
    width: "104px",
    value: ({ state, isRunning }) => `${isRunning ? 0 : 1} ${state}`,
    show: ({ session, state }) => (
      <>
        {session === undefined ? <span class="dot dim" /> : <SessionDot session={session} />} {state}
      </>
    ),
  },
  {
    name: "agent",
    label: "Agent",
    width: "80px",
    value: ({ agent }) => agent,
    show: ({ agent }) => <AgentBadge agent={agent} />,
  },
  text("model", "Model"),
  {
    name: "project",
    label: "Project",
    width: "minmax(80px, 0.8fr)",
    value: ({ project }) => (project === "" ? undefined : baseName(project).toLowerCase()),
    show: ({ project }) => (project === "" ? "" : baseName(project)),
    title: ({ project }) => project,
  },
  text("branch", "Branch"),
  {
    name: "machine",
    label: "Machine",
    width: "90px",
    value: ({ machine }) => machine,
    show: ({ machine }) => (machine === "" ? "" : <span class="badge machine">{machine}</span>),
  },
  {
    name: "tags",
    label: "Tags",
    width: "minmax(70px, 0.5fr)",
    value: ({ tags }) => tags.join(" ") || undefined,
    show: ({ tags }) => tags.map((tag) => <span class="badge">{tag}</span>),
    title: ({ tags }) => tags.join(" "),
  },
  {
    name: "turns",
    label: "Turns",
    width: "58px",
    isNumber: true,
    value: ({ turns }) => turns,
    show: ({ turns }) => (turns === undefined ? "" : turns.toLocaleString("en-US")),
  },
  {
    name: "cost",
    label: "Cost",
    width: "78px",
    isNumber: true,
    value: ({ usd }) => usd,
    show: ({ usd }) => (usd === undefined ? "" : money(usd)),
  },
  date("started", "Started"),
  date("updated", "Updated"),
];

/** Sorts by one column, or by the title. */
export function sorted(rows: readonly SessionRow[], sort: string): SessionRow[] {
  const name = sort.replace(/^-/, "");
  const sign = sort.startsWith("-") ? -1 : 1;
  const column = COLUMNS.find((one) => one.name === name);
  const valueOf = column === undefined ? ({ title }: SessionRow) => title.toLowerCase() : column.value;
  const keyed = rows.map((row) => ({ row, value: valueOf(row) }));
  keyed.sort((a, b) => {
    if (a.value === undefined || b.value === undefined)
      return Number(a.value === undefined) - Number(b.value === undefined);
    if (a.value !== b.value) return a.value < b.value ? -sign : sign;
    return a.row.started < b.row.started ? 1 : a.row.started > b.row.started ? -1 : 0;
  });
  return keyed.map(({ row }) => row);
}
