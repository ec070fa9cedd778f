/** MCP tool for what a session changed. Read-only. */
import { fileHeading, hunkLines } from "../../changes/diff/change-lines.ts";
import { sessionChanges } from "../../changes/diff/session-changes.ts";
import type { SessionChanges } from "../../core/changes.ts";
import { asNumber, asString, asText } from "../../lib/json/fields.ts";
import { processEnv } from "../../lib/fs/paths.ts";
import { changedSession } from "../changed-session.ts";
import { CHARACTERS_PER_TOKEN, weightOf } from "./token-budget.ts";
import { MAX_TOKENS, schema, text, type Tool } from "./tool.ts";

const DEFAULT_TOKENS = 4000;
/** Of the budget, for the names of files. */
const SUMMARY_SHARE = 0.3;

export const CHANGES_TOOL: Tool = {
  name: "changes",
  description:
    "What a session changed in its repository, with the session and message that made each hunk. As many files with lines as fit into max_tokens; name a path for others.",
  inputSchema: schema(
    {
      session: text("<agent>:<id>, as returned by the other tools, or the name of a terminal session"),
      path: text("only this file or directory, relative to the repository's root"),
      ...MAX_TOKENS,
    },
    ["session"],
  ),
  async call(args, { client }) {
    const { subject } = await changedSession(client, asString(args["session"]) ?? "");
    const path = asText(args["path"]);
    const options = { hunks: true, ...(path === undefined ? {} : { paths: [path] }) };
    const changes = await sessionChanges({ sessions: client.sessions, env: processEnv() }, subject, options);
    return withinBudget(changes, (asNumber(args["max_tokens"]) ?? DEFAULT_TOKENS) * CHARACTERS_PER_TOKEN);
  },
};

export function withinBudget({ base, root, files, notes, added, removed }: SessionChanges, characters: number): object {
  let left = characters;
  const shown: { file: string; omitted?: string; diff?: string }[] = [];
  for (const file of files) {
    const heading = fileHeading(file);
    const weight = weightOf(heading);
    if (shown.length > 0 && left - weight < characters * (1 - SUMMARY_SHARE)) break;
    left -= weight;
    shown.push({ file: heading, ...(file.omitted === undefined ? {} : { omitted: file.omitted }) });
  }
  for (const [index, entry] of shown.entries()) {
    const lines = (files[index]!.hunks ?? []).flatMap((hunk) => [...hunkLines(hunk)].map((line) => line.text));
    const diff = lines.join("\n");
    if (diff === "") continue;
    const weight = weightOf(diff);
    if (weight > left) entry.omitted = "Does not fit: name this path.";
    else {
      left -= weight;
      entry.diff = diff;
    }
  }
  const more = files.length - shown.length;
  return {
    root,
    compared: base.sentence,
    ...(notes === undefined ? {} : { notes }),
    added,
    removed,
    files: shown,
    ...(more > 0 ? { moreFiles: more } : {}),
  };
}
