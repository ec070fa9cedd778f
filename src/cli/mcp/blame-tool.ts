/** MCP tool for who wrote lines. Read-only. */
import type { BlameRange, BlameReport } from "../../changes/blame/blame-report.ts";
import { asNumber, asText } from "../../lib/json/fields.ts";
import { workingDirectory } from "../../lib/fs/paths.ts";
import { optional } from "../../lib/values/optional.ts";
import { CHARACTERS_PER_TOKEN, weightOf } from "./token-budget.ts";
import { MAX_TOKENS, number, schema, text, type Tool } from "./tool.ts";

const DEFAULT_TOKENS = 3000;

export const BLAME_TOOL: Tool = {
  name: "blame",
  description:
    "Which message of which session wrote the lines of a file, a commit or a pull request, with the prompt that led to it, and how sure that is. As many ranges as fit into max_tokens.",
  inputSchema: schema({
    target: text("FILE, FILE:LINE, FILE:LINE-LINE, or a commit"),
    pull_request: number("the number of a pull request, instead of a target"),
    cwd: text("a directory of the repository (default: where this server was started)"),
    ...MAX_TOKENS,
  }),
  async call(args, { client }) {
    const report = await client.blame({
      ...optional("target", asText(args["target"])),
      ...optional("pullRequest", asNumber(args["pull_request"])),
      cwd: asText(args["cwd"]) ?? workingDirectory(),
    });
    return withinBudget(report, (asNumber(args["max_tokens"]) ?? DEFAULT_TOKENS) * CHARACTERS_PER_TOKEN);
  },
};

/** Ranges of sessions come first: the others say only that nothing is known. */
export function withinBudget({ root, lines, ranges, sessions, notes }: BlameReport, characters: number): object {
  const known = ranges.filter(({ origin }) => origin.tier !== "none");
  const shown: object[] = [];
  let left = characters;
  for (const range of known) {
    const row = brief(range);
    left -= weightOf(JSON.stringify(row));
    if (left < 0) break;
    shown.push(row);
  }
  const titles = sessions.map(({ unifiedId, title, cost }) => ({
    session: unifiedId,
    title,
    ...optional("usd", cost?.totalUsd),
  }));
  const fitting = titles.slice(0, Math.max(1, Math.floor(characters / MAX_TITLE)));
  return {
    root,
    lines,
    ranges: shown,
    ...(shown.length < known.length ? { moreRanges: known.length - shown.length } : {}),
    sessions: fitting,
    ...(notes.length > 0 ? { notes } : {}),
  };
}

const MAX_TITLE = 400;

function brief({ path, start, end, change, evidence, origin, prompt, model }: BlameRange): object {
  return {
    lines: `${path}:${start}-${end}`,
    ...(change === "removed" ? { change } : {}),
    evidence,
    session: `${origin.agent}:${origin.sessionId}`,
    ...optional("message", origin.messageIndex),
    ...optional("at", origin.at),
    ...optional("model", model),
    ...optional("prompt", prompt),
  };
}
