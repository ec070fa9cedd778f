/** Options shared by several commands. */
import { resolve } from "node:path";
import type { SessionListOptions } from "../history/options.ts";
import { optional } from "../lib/values/optional.ts";
import type { OnProgress } from "../history/progress.ts";
import type { CacheMode } from "../history/cache/session-cache.ts";
import { COST_GROUPS, zoneFrom } from "../history/cost/grouping.ts";
import { usageError, type Invocation, type OptionSpec } from "./command.ts";
import { parseDate } from "./dates.ts";
import type { Output } from "./output.ts";

export const DATE_OPTIONS: readonly OptionSpec[] = [
  {
    name: "since",
    value: "date",
    description:
      "only since this date; sessions by their start (2026-01-31, 24h, 7d, 3mo, today, yesterday, monday, last week)",
  },
  { name: "until", value: "date", description: "only until this date" },
];

export const COST_GROUP_OPTION: OptionSpec = {
  name: "group-by",
  value: "fields",
  description: "one row per value; separate several with commas to nest them",
  choices: COST_GROUPS,
  list: true,
};

export const MODEL_OPTION: OptionSpec = { name: "model", value: "id", description: "only this model" };
export const TAG_OPTION: OptionSpec = {
  name: "tag",
  value: "tag",
  description: "only this tag",
  repeatable: true,
};
export const AGENT_OPTION: OptionSpec = { name: "agent", value: "name", description: "only this agent" };

/** The agent of a command that takes it as argument or as `--agent`. */
export function agentOf(invocation: Invocation): string | undefined {
  const [argument] = invocation.arguments;
  const named = invocation.text("agent");
  if (argument !== undefined && named !== undefined)
    throw usageError("The agent is given twice: as argument and as --agent.");
  return named ?? argument;
}

export const TIME_ZONE_OPTION: OptionSpec = {
  name: "timezone",
  value: "name",
  description: "time zone of the days, for example Europe/Berlin or UTC (default: local)",
};

export function commonFilters(invocation: Invocation): {
  since?: Date;
  until?: Date;
  model?: string;
  tags?: string[];
  onProgress: OnProgress;
} {
  const since = invocation.text("since");
  const until = invocation.text("until");
  const model = invocation.text("model");
  const tags = invocation.texts("tag");
  const zone = zoneFrom(invocation.text("timezone"));
  return {
    ...(since !== undefined ? { since: parseDate(since, "since", { zone }) } : {}),
    ...(until !== undefined ? { until: parseDate(until, "until", { zone }) } : {}),
    ...(model !== undefined ? { model } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    onProgress: progressOn(invocation.output),
  };
}

export const NO_INDEX_OPTION: OptionSpec = {
  name: "no-index",
  description: "ignore the index and read all files",
};

/** Results of reading are kept for the next command, unless disabled. */
export function indexMode(invocation: Invocation): { index: CacheMode } {
  return { index: invocation.flag("no-index") ? "none" : "fill" };
}

export function cwdFilter(invocation: Invocation): { cwd?: string } {
  const cwd = invocation.text("cwd");
  return cwd === undefined ? {} : { cwd: resolve(cwd) };
}

/** What a list is filtered by beside dates, models and tags. */
export const LIST_FILTER_OPTIONS: readonly OptionSpec[] = [
  { name: "cwd", value: "dir", description: "only sessions started in this directory or below it" },
  { name: "branch", value: "name", description: "only sessions on this git branch" },
  { name: "title", value: "text", description: "only sessions with this text in the title" },
  { name: "file", value: "path", description: "only sessions that read or changed this file" },
  { name: "starred", description: "only starred sessions" },
  { name: "failed", description: "only sessions that end in an error; reads each session" },
];

export function listFilters(
  invocation: Invocation,
): Pick<SessionListOptions, "under" | "branch" | "title" | "starred"> {
  const cwd = invocation.text("cwd");
  return {
    ...(cwd === undefined ? {} : { under: resolve(cwd) }),
    ...optional("branch", invocation.text("branch")),
    ...optional("title", invocation.text("title")),
    ...(invocation.flag("starred") ? { starred: true } : {}),
  };
}

export function progressOn(output: Output): OnProgress {
  return ({ agent, stage, done, total }) => output.progress(`${agent}: reading ${stage} ${done}/${total}`);
}

/** Unreadable files must be mentioned. */
export function noteSkipped(output: Output, files: number): void {
  if (files > 0) output.note(`${files} ${files === 1 ? "file was" : "files were"} skipped; amux doctor says why.`);
}
