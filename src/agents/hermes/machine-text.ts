/**
 * Text that Hermes writes itself: notices are user rows, a summary is in a row of either role, and skills and scheduled
 * jobs wrap the user's text.
 */

export interface Piece {
  kind: "said" | "notice" | "summary";
  text: string;
}

const NOTICE_STARTS = [
  "[ASYNC DELEGATION",
  "[IMPORTANT: Background process",
  "[System note:",
  "[System:",
  "[SYSTEM: Background process",
  "[Your active task list was preserved",
  "[Continuing toward your standing goal",
];

const SUMMARY_STARTS = ["[CONTEXT COMPACTION", "[CONTEXT SUMMARY]"];
const SUMMARY_END = "--- END OF CONTEXT SUMMARY";
const PRIOR_START = "[PRIOR CONTEXT";
const PRIOR_END = "[END OF PRIOR CONTEXT";

/** Splits a row's text into parts, in order. */
export function pieces(role: string, text: string): Piece[] {
  const trimmed = text.trim();
  const summary = aroundSummary(trimmed);
  if (summary !== undefined) return summary;
  if (role !== "user") return [{ kind: "said", text }];
  if (NOTICE_STARTS.some((start) => trimmed.startsWith(start))) return [{ kind: "notice", text: trimmed }];
  return [{ kind: "said", text: unwrapped(text) }];
}

/** The kept messages before and after the summary; either may be missing. */
function aroundSummary(text: string): Piece[] | undefined {
  let before = "";
  let rest = text;
  const priorEnd = text.indexOf(PRIOR_END);
  if (priorEnd !== -1) {
    before = text.slice(0, priorEnd).trim();
    if (before.startsWith(PRIOR_START)) before = afterLine(before).trim();
    rest = afterLine(text.slice(priorEnd)).trim();
  }
  if (!SUMMARY_STARTS.some((start) => rest.startsWith(start))) return undefined;
  const end = rest.lastIndexOf(SUMMARY_END);
  const after = end === -1 ? "" : afterLine(rest.slice(end)).trim();
  const found: Piece[] = [
    { kind: "said", text: before },
    { kind: "summary", text: summaryBody(end === -1 ? rest : rest.slice(0, end)) },
    { kind: "said", text: after },
  ];
  return found.filter((piece) => piece.text !== "");
}

/** Without its first line, which is an instruction to the model. */
function summaryBody(text: string): string {
  const body = afterLine(text).trim();
  return body === "" ? text.trim() : body;
}

function afterLine(text: string): string {
  const newline = text.indexOf("\n");
  return newline === -1 ? "" : text.slice(newline + 1);
}

const SKILL = /^\[(?:IMPORTANT|SYSTEM): The user has invoked the "([^"\n]{1,200})" skill/;
const SKILL_INSTRUCTION =
  /\n(?:The user has provided the following instruction alongside the skill invocation|User instruction): ?/;
const RUNTIME_NOTE = /\n+\[Runtime note: [^\n]*\]\s*$/;
const SCHEDULED_JOB = /^\[(?:IMPORTANT|SYSTEM): You are running as a scheduled cron job[^\n]*\]\s*\n/;

/** The typed text: `/skill instruction` for a skill, the job's prompt for a scheduled job. */
function unwrapped(text: string): string {
  const skill = SKILL.exec(text);
  if (skill === null) return text.replace(SCHEDULED_JOB, "").trim() || text;
  const instruction = text.split(SKILL_INSTRUCTION)[1]?.replace(RUNTIME_NOTE, "").replace(SCHEDULED_JOB, "").trim();
  return `/${skill[1]!} ${instruction ?? ""}`.trim();
}
