/** Facts beside a session's state, as they are written into its status file for others to show. */
import type { CostRecord } from "../core/cost.ts";
import { asObject } from "../lib/fields.ts";
import { optional } from "../lib/optional.ts";
import type { GitInfo } from "./git-info.ts";
import type { StatusFile, TokenFields } from "./status-file.ts";

export interface Details {
  git?: GitInfo;
  tokens?: TokenFields;
}

/** The documented fields; others in there stay. */
export function withDetails(file: StatusFile, { git, tokens }: Details): StatusFile {
  return {
    ...file,
    ...optional("git", git === undefined ? undefined : { ...asObject(file["git"]), ...gitFields(git) }),
    ...optional("tokens", tokens === undefined ? undefined : { ...asObject(file["tokens"]), ...tokens }),
  };
}

/** In the files' words: everything that went in, caches included. */
export function tokenFields({
  inputTokens,
  cachedTokens = 0,
  cacheWriteTokens = 0,
  outputTokens,
}: CostRecord): TokenFields {
  const input = inputTokens + cachedTokens + cacheWriteTokens;
  return { input, output: outputTokens, total: input + outputTokens };
}

function gitFields({
  branch,
  dirty,
  ahead,
  behind,
  lastCommit,
  remote,
  remoteUrl,
  prNumber,
  fetchedMs,
}: GitInfo): object {
  return {
    branch,
    dirty,
    ahead,
    behind,
    last_commit: lastCommit,
    remote,
    ...(remoteUrl === "" ? {} : { remote_url: remoteUrl }),
    ...optional("pr_num", prNumber),
    fetched_at: Math.floor(fetchedMs / 1000),
  };
}
