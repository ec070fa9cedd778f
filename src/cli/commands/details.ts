import { createClient } from "../../index.ts";
import type { CostRecord } from "../../core/cost.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { optional } from "../../lib/values/optional.ts";
import { withoutControls } from "../../lib/text/text.ts";
import type { SessionDetails } from "../../protocol/daemon-api.ts";
import { gitFields, tokenFields, withDetails } from "../../status/details.ts";
import { GitCache } from "../../status/git-cache.ts";
import type { GitInfo } from "../../status/git-info.ts";
import { cpuPercent, usageOfTrees, type ProcessUsage } from "../../status/process-usage.ts";
import type { SessionView } from "../../status/session-view.ts";
import type { GitFields, TeamMember, TokenFields } from "../../status/status-file.ts";
import { LIVE_SESSION_ARGUMENT } from "../choose-session.ts";
import type { Command } from "../command.ts";
import { bytes, compact, costCell, counted } from "../format/figures.ts";
import { statusStore } from "../tmux-sessions.ts";
import { askDaemon } from "../mux/remote.ts";
import type { Output } from "../output.ts";
import { sessionJson } from "../session-json.ts";
import { liveSessionNamed } from "../mux/session-named.ts";

const command: Command = {
  name: "details",
  description:
    "Shows details of a live session. For a tmux session, git facts and tokens are also written to its status file; the daemon does so after every turn.",
  arguments: [LIVE_SESSION_ARGUMENT],
  examples: [["amux details shop", "branch and pull request, time worked and waited, tools, tokens, cost, memory"]],
  async run({ arguments: [ref = ""], output }) {
    const session = await liveSessionNamed(ref);
    const { written, ...facts } = await (session.peer === undefined ? factsHere(session) : factsThere(session));
    const { git, cost, usage } = facts;
    const shown = written === undefined ? session : { ...session, git: written };
    const tokens = cost === undefined ? undefined : tokenFields(cost);
    if (session.place === "tmux" && (git !== undefined || tokens !== undefined)) {
      statusStore().update(session.name, (file) =>
        withDetails(file, { ...(git && { git }), ...(tokens && { tokens }) }),
      );
    }
    if (output.json) {
      return output.writeJson({
        ...sessionJson(shown),
        ...(git && { git: gitFields(git) }),
        ...(cost && { cost, tokens }),
        ...(usage && { resource: usage }),
      });
    }
    await output.write(lines(shown, facts, output).map((line) => `${line}\n`));
  },
};

export default command;

/** Long enough to tell an idle agent from a busy one. */
const CPU_SAMPLE_MS = 300;

interface Usage extends ProcessUsage {
  /** Of one processor. */
  cpuPercent?: number;
}

async function usageOf(pid: number): Promise<Usage | undefined> {
  const started = performance.now();
  const before = (await usageOfTrees([pid])).get(pid);
  if (before === undefined) return undefined;
  await new Promise((resolve) => setTimeout(resolve, CPU_SAMPLE_MS));
  const after = (await usageOfTrees([pid])).get(pid) ?? before;
  const percent = cpuPercent(before, after, performance.now() - started);
  return percent === undefined ? after : { ...after, cpuPercent: Math.round(percent) };
}

/** Cost of its agent's conversation, from the common ledger. */
async function costOf({ top }: SessionView): Promise<CostRecord | undefined> {
  const sessionId = top.evidence.session;
  if (sessionId === undefined || top.agent === "") return undefined;
  try {
    const { summary } = await createClient().sessions.open(top.agent, sessionId);
    return summary.cost;
  } catch (error) {
    // Not written yet, or gone: nothing to count.
    if (error instanceof AgentMuxError) return undefined;
    throw error;
  }
}

interface Facts {
  git: GitInfo | undefined;
  /** As reported by another machine's daemon. */
  written?: Partial<GitFields>;
  cost: CostRecord | undefined;
  usage: Usage | undefined;
}

async function factsHere(session: SessionView): Promise<Facts> {
  const [git, cost, usage] = await Promise.all([
    session.cwd === "" ? undefined : new GitCache().getWithPullRequest(session.cwd),
    costOf(session),
    session.pid === undefined ? undefined : usageOf(session.pid),
  ]);
  return { git, cost, usage };
}

/** From its own machine's daemon. */
async function factsThere({ ref }: SessionView): Promise<Facts> {
  const { git, cost, usage } = await askDaemon<SessionDetails>("GET", `/v1/sessions/${ref}/details`);
  return {
    git: undefined,
    ...optional("written", git as Partial<GitFields> | undefined),
    cost: cost as CostRecord | undefined,
    usage: usage && { processes: usage.processes, rssBytes: usage.rss_bytes, cpuSeconds: usage.cpu_seconds },
  };
}

function lines(
  { name, cwd, top, metrics, currentPbi, currentPbiTitle, team, teamName, git: written, tokens }: SessionView,
  { git, cost, usage }: Facts,
  output: Output,
): string[] {
  const rows: [string, string | undefined][] = [
    ["state", [top.status, top.label, top.message].filter((part) => part !== undefined && part !== "").join(" · ")],
    ["directory", cwd],
    ["works on", [currentPbi, currentPbiTitle].filter((part) => part !== undefined).join(" ") || undefined],
    ["git", gitText(git ?? asWritten(written))],
    ["commit", git?.lastCommit ?? written?.last_commit],
    ["remote", git?.remoteUrl ?? written?.remote],
    [
      "time",
      metrics === undefined
        ? undefined
        : `${span(metrics.working_seconds)} working, ${span(metrics.waiting_seconds)} waiting, ${span(metrics.total_seconds)} in all`,
    ],
    ["tools", metrics === undefined ? undefined : toolText(metrics.tools)],
    ["recent", metrics?.recent_tools.join(", ")],
    ["tokens", tokenText(cost, tokens)],
    ["memory", usage === undefined ? undefined : usageText(usage)],
    ["team", teamText(team, teamName)],
  ];
  const shown = rows.filter((row): row is [string, string] => row[1] !== undefined && row[1] !== "");
  return [
    output.style("bold", withoutControls(name)),
    ...shown.map(([title, text]) => `  ${title.padEnd(10)} ${withoutControls(text)}`),
  ];
}

type GitWords = Pick<GitInfo, "branch" | "dirty" | "ahead" | "behind" | "prNumber">;

/** Another program's facts in the status file, if the directory is gone or elsewhere. */
function asWritten(git: Partial<GitFields> | undefined): GitWords | undefined {
  if (git?.branch === undefined) return undefined;
  const { branch, dirty = false, ahead = 0, behind = 0, pr_num } = git;
  return { branch, dirty, ahead, behind, ...optional("prNumber", pr_num) };
}

function gitText(git: GitWords | undefined): string | undefined {
  if (git === undefined) return undefined;
  const { branch, dirty, ahead, behind, prNumber } = git;
  const parts = [
    branch,
    dirty ? "changed" : "clean",
    ahead > 0 ? `${ahead} ahead` : "",
    behind > 0 ? `${behind} behind` : "",
    prNumber === undefined ? "" : `pull request ${prNumber}`,
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function usageText({ rssBytes, processes, cpuSeconds, cpuPercent: percent }: Usage): string {
  const rate = percent === undefined ? "" : `, ${percent} % now`;
  return `${bytes(rssBytes)} in ${counted(processes, "process", "processes")}, ${cpuSeconds.toFixed(1)} s of processor time${rate}`;
}

function toolText(tools: Readonly<Record<string, number>>): string {
  return Object.entries(tools)
    .sort(([, a], [, b]) => b - a)
    .map(([tool, count]) => `${tool} ${count}`)
    .join(", ");
}

/** From the conversation itself, or another program's count. */
function tokenText(cost: CostRecord | undefined, written: TokenFields | undefined): string | undefined {
  const tokens = cost === undefined ? written : tokenFields(cost);
  if (tokens === undefined) return undefined;
  const money = cost === undefined ? "" : `, ${costCell(cost)}`;
  return `${compact(tokens.input)} in, ${compact(tokens.output)} out${money}`;
}

function teamText(team: readonly TeamMember[], name: string | undefined): string {
  const members = team.map((member) => `${member.name} ${member.status}`).join(", ");
  return name === undefined || members === "" ? members : `${name}: ${members}`;
}

function span(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${Math.floor(seconds)}s`;
  return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}
