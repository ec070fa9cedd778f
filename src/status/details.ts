/** Facts beside a session's state, written into its status file for dashboards. */
import type { CostRecord } from "../core/cost.ts";
import { asObject } from "../lib/json/fields.ts";
import { optional } from "../lib/values/optional.ts";
import type { GitInfo } from "./git-info.ts";
import type { CurrentPbi } from "./tasks/current-pbi.ts";
import { PBI_SOURCE, type GitFields, type StatusFile, type TokenFields } from "./status-file.ts";

export interface Details {
  git?: GitInfo;
  tokens?: TokenFields;
  /** The task amux infers; null if none. */
  pbi?: CurrentPbi | null;
}

/** Writes the documented fields; others stay. */
export function withDetails(file: StatusFile, { git, tokens, pbi }: Details): StatusFile {
  return {
    ...(pbi === undefined ? file : withPbi(file, pbi)),
    ...optional("git", git === undefined ? undefined : { ...asObject(file["git"]), ...gitFields(git) }),
    ...optional("tokens", tokens === undefined ? undefined : { ...asObject(file["tokens"]), ...tokens }),
  };
}

/** An explicit value stays. */
function withPbi(file: StatusFile, pbi: CurrentPbi | null): StatusFile {
  const isSaid = file["current_pbi"] !== undefined && file[PBI_SOURCE] === undefined;
  if (isSaid || pbi?.source === "session_metadata") return file;
  const { current_pbi: _, current_pbi_title: __, [PBI_SOURCE]: ___, ...rest } = file;
  const fields = pbi && { current_pbi: pbi.id, current_pbi_title: pbi.title, [PBI_SOURCE]: pbi.source };
  return { ...(rest as StatusFile), ...fields };
}

/** In the files' terms: all input, including caches. */
export function tokenFields({
  inputTokens,
  cachedTokens = 0,
  cacheWriteTokens = 0,
  outputTokens,
}: CostRecord): TokenFields {
  const input = inputTokens + cachedTokens + cacheWriteTokens;
  return { input, output: outputTokens, total: input + outputTokens };
}

/** In the files' spelling. */
export function gitFields({
  branch,
  dirty,
  ahead,
  behind,
  lastCommit,
  remote,
  remoteUrl,
  prNumber,
  fetchedMs,
}: GitInfo): Omit<GitFields, "pr_num"> & { pr_num?: number; remote_url?: string } {
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
