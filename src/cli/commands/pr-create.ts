import { readRules } from "../../redaction/user-rules.ts";
import {
  openPullRequest,
  planPullRequest,
  planText,
  pushBranch,
  requireGh,
} from "../../changes/pull-request/create.ts";
import { pullRequestBody, pullRequestTitle } from "../../changes/pull-request/text.ts";
import type { Finding } from "../../redaction/redactor.ts";
import { createClient } from "../../index.ts";
import { processEnv } from "../../lib/fs/paths.ts";
import { oneLine } from "../../lib/text/text.ts";
import { optional } from "../../lib/values/optional.ts";
import { usageError, type Command } from "../command.ts";
import { findSession } from "../mux/choose.ts";
import { askYesOrNo, canAsk } from "../run/ask.ts";
import { existing } from "../run/run-options.ts";
import { hasMachine, resolveReference, SESSION_ARGUMENTS } from "../session-reference.ts";

const command: Command = {
  name: "pr create",
  description:
    "Pushes the branch that a session worked on, with ordinary git, and opens a pull request with GitHub's gh. The title is the session's, the body is the agent's last message with the session's id. Secrets that the archive's rules find in them are redacted. Asks before it pushes.",
  arguments: SESSION_ARGUMENTS,
  options: [
    { name: "title", value: "text", description: "instead of the session's title" },
    { name: "body", value: "text", description: "instead of the agent's last message" },
    { name: "base", value: "branch", description: "the branch to merge into (default: where the worktree came from)" },
    { name: "remote", value: "name", description: "push to this remote" },
    { name: "cwd", value: "dir", description: "the checkout (default: the session's directory)" },
    { name: "draft", description: "open it as a draft" },
    { name: "dry-run", description: "print what would be pushed and opened" },
    { name: "yes", short: "y", description: "do not ask" },
  ],
  examples: [
    ["amux pr create tax --dry-run", "see the title and the body"],
    ["amux pr create tax", "by a terminal session's name"],
    ["amux pr create claude:5cbe954d --draft --yes --json", "for a script"],
  ],
  async run(invocation) {
    const { output } = invocation;
    if (hasMachine(invocation.arguments)) throw usageError("That session is on another machine. Run this there.");
    const client = createClient();
    const reference = await resolveReference(client, invocation.arguments);
    const { summary, messages } = await client.sessions.open(reference.agent, reference.sessionId);
    const terminal = findSession(invocation.arguments[0]!)?.meta.cwd;
    const cwd = existing(invocation.text("cwd") ?? terminal ?? summary.cwd ?? ".");
    const plan = await planPullRequest(cwd, process.env, {
      ...optional("base", invocation.text("base")),
      ...optional("remote", invocation.text("remote")),
    });
    const { redactor } = readRules(processEnv());
    const found: Finding[] = [];
    const clean = (text: string, where: string): string => redactor.text(text, where, found);
    const title = clean(oneLine(invocation.text("title") ?? pullRequestTitle(summary, plan.branch)), "title");
    const body = clean(invocation.text("body") ?? pullRequestBody(messages(), summary), "body");
    const { top, branch, remote, base, commits, uncommitted } = plan;
    const facts = {
      session: summary.unifiedId,
      directory: top,
      branch,
      remote,
      ...optional("base", base),
      ...optional("commits", commits),
      uncommitted,
      title,
      body,
      redacted: found.length,
    };
    if (found.length > 0 && !output.json) output.note(`Redacted: ${found.map(({ rule }) => rule).join(", ")}.`);
    if (summary.branch !== undefined && summary.branch !== branch && !output.json)
      output.note(`The session recorded the branch ${oneLine(summary.branch)}; ${oneLine(branch)} is checked out now.`);
    if (uncommitted > 0 && !output.json)
      output.note(`${uncommitted} uncommitted ${uncommitted === 1 ? "file is" : "files are"} not part of it.`);
    if (invocation.flag("dry-run")) {
      if (output.json) return output.writeJson(facts);
      return output.write([...planText(plan, title), "", title, "", body].map((line) => `${line}\n`));
    }
    requireGh(process.env);
    if (!invocation.flag("yes")) {
      if (output.json || !canAsk()) throw usageError("This pushes a branch. Confirm with --yes, or see --dry-run.");
      output.note(`${title}\n\n${body}\n`);
      const question = `Push ${branch} to ${remote} and open this pull request${base === undefined ? "" : ` into ${base}`}?`;
      if (!(await askYesOrNo(question))) return output.note("Nothing was pushed.");
    }
    await pushBranch(plan, process.env);
    const draft = invocation.flag("draft");
    const url = await openPullRequest(plan, { title, body, draft }, process.env);
    await (output.json ? output.writeJson({ ...facts, url }) : output.write(`${url}\n`));
  },
};

export default command;
