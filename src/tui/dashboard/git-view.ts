/** A session's repository and pull request, with keys for changes, comments and the browser. */
import { readGitInfo, type GitInfo } from "../../status/git-info.ts";
import {
  checkCounts,
  readChanges,
  readPullRequestDetails,
  readPullRequestDiff,
  type CheckResult,
  type PullRequest,
} from "../../status/pull-request.ts";
import type { Row } from "../data/row.ts";
import type { Style } from "../render/style.ts";
import { THEME } from "../theme.ts";
import type { Stage } from "../view.ts";
import { openAddress } from "../views/open-address.ts";
import { TextView, type TextLine } from "../views/text-view.ts";
import { facts } from "./details.ts";

export function gitView(stage: Stage, { cwd, name }: Row): TextView {
  let pullRequest: PullRequest | undefined;
  const read = (title: string, load: () => Promise<TextLine[]>): void =>
    stage.push(new TextView(stage, { title: `${title} · ${name}`, load }));
  const load = async (): Promise<TextLine[]> => {
    const [git, found] = await Promise.all([readGitInfo(cwd), readPullRequestDetails(cwd)]);
    pullRequest = found;
    if (git === undefined) return [{ text: `${cwd} is not in a git repository.`, look: THEME.dim }];
    return [
      ...gitLines(cwd, git),
      { text: "" },
      ...(found === undefined ? [NO_PULL_REQUEST] : pullRequestLines(found)),
    ];
  };
  return new TextView(stage, {
    title: `git · ${name}`,
    load,
    own: {
      mode: "git",
      actions: {
        diff: {
          does: "changes",
          run: () => read("changes", async () => diffLines(await readChanges(cwd), "No changes.")),
        },
        "pull-request-diff": {
          does: "the pull request's",
          run: () =>
            read("pull request", async () => diffLines(await readPullRequestDiff(cwd), "There is no pull request.")),
        },
        comments: { does: "comments", run: () => read("comments", () => Promise.resolve(commentLines(pullRequest))) },
        open: {
          does: "browser",
          run: () =>
            pullRequest === undefined ? stage.say("There is no pull request.") : openAddress(stage, pullRequest.url),
        },
      },
    },
  });
}

const NO_PULL_REQUEST: TextLine = { text: "No pull request found for this branch." };

function gitLines(cwd: string, git: GitInfo): TextLine[] {
  return facts([
    ["directory", cwd],
    ["branch", git.branch],
    ["state", git.dirty ? "changed" : "clean"],
    ["ahead", String(git.ahead)],
    ["behind", String(git.behind)],
    ["last commit", git.lastCommit],
    ["remote", [git.remote, git.remoteUrl].filter((part) => part !== "").join(" ")],
  ]);
}

const CHECKS: Readonly<Record<CheckResult, { mark: string; look: Style }>> = {
  passed: { mark: "✓", look: THEME.good },
  failed: { mark: "✗", look: THEME.bad },
  pending: { mark: "●", look: THEME.warn },
};

function pullRequestLines(found: PullRequest): TextLine[] {
  const counts = checkCounts(found);
  const checks = (["passed", "failed", "pending"] as const).filter((result) => counts[result] > 0);
  return [
    { text: `#${found.number} ${found.title}`, look: THEME.accentBold },
    ...facts([
      ["state", `${words(found.state)}${found.isDraft ? ", draft" : ""}`],
      ["merging", words(found.mergeable)],
      ["changes", `${found.changedFiles} files, +${found.additions} -${found.deletions}`],
      ["labels", found.labels.join(", ")],
      ["review", words(found.reviewDecision)],
      ["reviewers", found.reviewers.map(({ name, state }) => `${name} (${words(state)})`).join(", ")],
      ["comments", String(found.comments.length)],
      ["checks", checks.map((result) => `${counts[result]} ${result}`).join(", ") || "none"],
    ]),
    ...found.checks.map(({ name, result }) => ({
      text: `${CHECKS[result].mark} ${name}`,
      look: CHECKS[result].look,
      indent: 2,
    })),
  ];
}

/** `CHANGES_REQUESTED` as words. */
function words(constant: string): string {
  return constant.toLowerCase().replaceAll("_", " ");
}

function diffLines(lines: readonly string[] | undefined, nothing: string): TextLine[] {
  if (lines === undefined || lines.length === 0 || (lines.length === 1 && lines[0] === ""))
    return [{ text: nothing, look: THEME.dim }];
  return lines.map((text) => ({ text, look: lookOf(text) }));
}

function lookOf(line: string): Style {
  if (line.startsWith("diff ") || line.startsWith("+++") || line.startsWith("---")) return THEME.accentBold;
  if (line.startsWith("@@")) return THEME.accent;
  return line.startsWith("+") ? THEME.good : line.startsWith("-") ? THEME.bad : THEME.panel;
}

function commentLines(found: PullRequest | undefined): TextLine[] {
  if (found === undefined) return [NO_PULL_REQUEST];
  if (found.comments.length === 0) return [{ text: "No comments.", look: THEME.dim }];
  return found.comments.flatMap(({ author, at, text }) => [
    { text: `▌${author} · ${at.slice(0, 16).replace("T", " ")}`, look: THEME.accentBold },
    { text, indent: 2 },
    { text: "" },
  ]);
}
