/** The pull request of a directory's branch from GitHub's `gh`: state, reviews, checks and comments. */
import { asNumber, asObject, asObjects, asText, type Json } from "../lib/json/fields.ts";
import { oneLine, withoutControls } from "../lib/text/text.ts";
import { askGh } from "./ask-gh.ts";
import { untrustedGit } from "./untrusted-git.ts";

export interface PullRequest {
  number: number;
  title: string;
  url: string;
  /** OPEN, CLOSED or MERGED. */
  state: string;
  isDraft: boolean;
  /** MERGEABLE, CONFLICTING or UNKNOWN. */
  mergeable: string;
  labels: string[];
  changedFiles: number;
  additions: number;
  deletions: number;
  /** APPROVED, CHANGES_REQUESTED, REVIEW_REQUIRED, or empty. */
  reviewDecision: string;
  reviewers: { name: string; state: string }[];
  checks: { name: string; result: CheckResult }[];
  /** From reviews and the conversation, oldest first. */
  comments: { author: string; at: string; text: string }[];
}

export type CheckResult = "passed" | "failed" | "pending";

const GH_MS = 15_000;
const DIFF = ["--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];
/** As much as anyone reads in a terminal. */
const MAX_DIFF_LINES = 5000;

const FIELDS =
  "number,title,url,state,isDraft,mergeable,labels,changedFiles,additions,deletions,reviewDecision,reviews,comments,statusCheckRollup";

/** Undefined if there is none, or `gh` is missing. */
export async function readPullRequestDetails(cwd: string): Promise<PullRequest | undefined> {
  const text = await askGh(cwd, GH_MS, "pr", "view", "--json", FIELDS);
  try {
    return pullRequestFrom(JSON.parse(text ?? ""));
  } catch {
    return undefined; // No answer, or an unknown one.
  }
}

/** Changes since the last commit, then the names of untracked files. Undefined outside of a repository. */
export async function readChanges(cwd: string): Promise<string[] | undefined> {
  const [changed, untracked = ""] = await Promise.all([
    untrustedGit(cwd, "diff", ...DIFF, "HEAD", "--"),
    untrustedGit(cwd, "ls-files", "--others", "--exclude-standard"),
  ]);
  // A repository without a commit has no HEAD to compare with.
  if (changed === undefined && untracked === "") return undefined;
  const names = untracked.trimEnd().replaceAll(/^(?=.)/gm, "untracked: ");
  return diffLines(Promise.resolve([changed ?? "", names].filter((part) => part !== "").join("\n")));
}

/** The pull request's diff. */
export function readPullRequestDiff(cwd: string): Promise<string[] | undefined> {
  return diffLines(askGh(cwd, GH_MS, "pr", "diff", "--color", "never"));
}

async function diffLines(asked: Promise<string | undefined>): Promise<string[] | undefined> {
  const text = await asked;
  if (text === undefined) return undefined;
  const lines = withoutControls(text).trimEnd().split("\n");
  const more = lines.length - MAX_DIFF_LINES;
  return more <= 0 ? lines : [...lines.slice(0, MAX_DIFF_LINES), `… ${more} more lines`];
}

export function pullRequestFrom(value: unknown): PullRequest | undefined {
  const fields = asObject(value);
  const number = asNumber(fields?.["number"]);
  if (fields === undefined || number === undefined) return undefined;
  const text = (name: string): string => oneLine(asText(fields[name]) ?? "");
  const count = (name: string): number => asNumber(fields[name]) ?? 0;
  return {
    number,
    title: text("title"),
    url: text("url"),
    state: text("state"),
    isDraft: fields["isDraft"] === true,
    mergeable: text("mergeable"),
    labels: asObjects(fields["labels"]).map(({ name }) => oneLine(asText(name) ?? "")),
    changedFiles: count("changedFiles"),
    additions: count("additions"),
    deletions: count("deletions"),
    reviewDecision: text("reviewDecision"),
    reviewers: reviewers(asObjects(fields["reviews"])),
    checks: asObjects(fields["statusCheckRollup"]).map(checkFrom),
    comments: [...asObjects(fields["reviews"]), ...asObjects(fields["comments"])]
      .map(commentFrom)
      .filter((comment) => comment.text !== "")
      .sort((a, b) => (a.at < b.at ? -1 : 1)),
  };
}

/** Each with their latest review. */
function reviewers(reviews: readonly Json[]): PullRequest["reviewers"] {
  const last = new Map(reviews.map((review) => [authorOf(review), oneLine(asText(review["state"]) ?? "")]));
  return [...last].map(([name, state]) => ({ name, state }));
}

const PASSED: ReadonlySet<string> = new Set(["SUCCESS", "NEUTRAL", "SKIPPED"]);
const FAILED: ReadonlySet<string> = new Set([
  "FAILURE",
  "ERROR",
  "CANCELLED",
  "TIMED_OUT",
  "ACTION_REQUIRED",
  "STARTUP_FAILURE",
]);

/** A finished check run has a `conclusion`; a commit status has a `state`. */
function checkFrom(check: Json): PullRequest["checks"][number] {
  const name = oneLine(asText(check["name"]) ?? asText(check["context"]) ?? "check");
  const said = asText(check["conclusion"]) || asText(check["state"]) || "";
  return { name, result: PASSED.has(said) ? "passed" : FAILED.has(said) ? "failed" : "pending" };
}

function commentFrom(comment: Json): PullRequest["comments"][number] {
  return {
    author: authorOf(comment),
    at: asText(comment["createdAt"]) ?? asText(comment["submittedAt"]) ?? "",
    text: withoutControls(asText(comment["body"]) ?? "").trim(),
  };
}

function authorOf(value: Json): string {
  return oneLine(asText(asObject(value["author"])?.["login"]) ?? "somebody");
}

/** Number of checks by result. */
export function checkCounts({ checks }: PullRequest): Record<CheckResult, number> {
  const counts = { passed: 0, failed: 0, pending: 0 };
  for (const { result } of checks) counts[result]++;
  return counts;
}
