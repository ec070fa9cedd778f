/** What blame found, for people: a row for each edit, then the sessions with how to open them. */
import type { BlamedSession, BlameRange, BlameReport } from "../../changes/blame/blame-report.ts";
import { localTime } from "../../lib/text/local-time.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { Output } from "../output.ts";
import { agentLabel } from "./agent-label.ts";
import { costCell, counted, money } from "./figures.ts";
import { shortIds } from "./session-table.ts";
import { table, type Column } from "./table.ts";

/** Ranges of one edit that follow each other. */
interface Row extends BlameRange {
  proved: number;
  lines: number;
}

export function* blameLines(report: BlameReport, output: Output): Generator<string> {
  const { lines, sessions, notes, target } = report;
  yield `${output.style("bold", headingOf(target))}\n`;
  const counts = [`${lines.proved} proved`, `${lines.near} near`, `${lines.none} not by a session we know`];
  yield `${counted(lines.proved + lines.near + lines.none, "line")}: ${counts.join(", ")}\n`;
  for (const note of notes) yield `${output.style("dim", oneLine(note))}\n`;
  yield "\n";
  const shorten = shortIds(sessions.map(({ sessionId }) => sessionId));
  const rows = rowsOf(report.ranges);
  const columns = columnsFor(shorten, target.kind === "file", output);
  for (const line of table(rows, columns, output.width, (text) => output.style("dim", text))) yield `${line}\n`;
  if (sessions.length === 0) return;
  yield "\n";
  for (const session of sessions) yield* sessionLines(session, rows, output);
}

function headingOf(target: BlameReport["target"]): string {
  if (target.kind === "file") return `${oneLine(target.path)}:${target.start}-${target.end}`;
  if (target.kind === "pull-request") return `Pull request ${target.number}`;
  return `${target.commit.slice(0, 10)} ${oneLine(target.subject)}`;
}

function rowsOf(ranges: readonly BlameRange[]): Row[] {
  const rows: Row[] = [];
  for (const range of ranges) {
    const lines = range.end - range.start + 1;
    const proved = range.origin.tier === "proved" ? lines : 0;
    const last = rows.at(-1);
    if (last !== undefined && isSameEdit(last, range)) {
      last.end = range.end;
      last.lines += lines;
      last.proved += proved;
      if (proved > 0) last.evidence = range.evidence;
    } else rows.push({ ...range, lines, proved });
  }
  return rows;
}

function isSameEdit(a: BlameRange, b: BlameRange): boolean {
  return (
    a.path === b.path &&
    a.change === b.change &&
    (a.commit === b.commit || a.origin.tier === "none") &&
    a.end === b.start - 1 &&
    a.origin.sessionId === b.origin.sessionId &&
    a.origin.toolCallId === b.origin.toolCallId
  );
}

function columnsFor(shorten: (id: string) => string, isFile: boolean, output: Output): Column<Row>[] {
  return [
    {
      title: "LINES",
      value: ({ path, change, start, end }) => {
        const lines = `${change === "removed" ? "−" : ""}${start}${end === start ? "" : `-${end}`}`;
        return isFile ? lines : `${path}:${lines}`;
      },
      min: 12,
    },
    {
      title: "EVIDENCE",
      value: ({ evidence, proved, lines }) =>
        proved > 0 && proved < lines ? `${evidence} (${proved} of ${lines})` : evidence,
      style: (text, { origin }) =>
        output.style(origin.tier === "proved" ? "green" : origin.tier === "near" ? "yellow" : "dim", text),
    },
    {
      title: "SESSION",
      value: ({ origin: { agent, sessionId, machine } }) =>
        agent === undefined
          ? ""
          : agentLabel(agent, `${agent}:${shorten(sessionId!)}${machine === undefined ? "" : `@${machine}`}`),
    },
    {
      title: "MESSAGE",
      value: ({ origin }) => (origin.messageIndex === undefined ? "" : `#${origin.messageIndex}`),
      align: "right",
    },
    {
      title: "WHEN",
      value: ({ origin }) => (origin.at === undefined ? "" : localTime(new Date(origin.at))),
      dispensable: 1,
    },
    { title: "MODEL", value: ({ model = "" }) => model, dispensable: 3 },
    {
      title: "TURN",
      value: ({ turnUsd }) => (turnUsd === undefined ? "" : money(turnUsd)),
      align: "right",
      dispensable: 2,
    },
    { title: "PROMPT", value: ({ prompt = "" }) => prompt, min: 16 },
  ];
}

function* sessionLines(session: BlamedSession, rows: readonly Row[], output: Output): Generator<string> {
  const { unifiedId, title, machine, cost, proved, near } = session;
  const facts = [`${proved} proved`, `${near} near`, ...(cost === undefined ? [] : [costCell(cost)])];
  yield `${output.style("cyan", agentLabel(session.agent, oneLine(unifiedId)))}  ${output.style("bold", oneLine(title))}  ${output.style("dim", facts.join(", "))}\n`;
  if (machine !== undefined) return;
  const first = rows.find(({ origin }) => origin.agent === session.agent && origin.sessionId === session.sessionId);
  const from = first?.origin.messageIndex;
  yield `    amux show ${oneLine(unifiedId)}${from === undefined ? "" : ` --from ${from}`}\n`;
}
