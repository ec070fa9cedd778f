import { DaemonMissing } from "../../client/daemon-client.ts";
import { NotifyApi } from "../../client/notify-api.ts";
import { pluginProblems } from "../../agents/plugins.ts";
import type { AgentReport } from "../../core/agent-report.ts";
import type { CostKind } from "../../core/cost.ts";
import { readReviews } from "../../changes/review/review-file.ts";
import { examineAgents } from "../../history/examine-agents.ts";
import { createClient } from "../../index.ts";
import { amuxHome, processEnv } from "../../lib/fs/paths.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { oneLine, withoutControls } from "../../lib/text/text.ts";
import { optional } from "../../lib/values/optional.ts";
import type { Command } from "../command.ts";
import { daemonClient } from "../daemon-process.ts";
import { progressOn } from "../filters.ts";
import { bytes, count, counted } from "../format/figures.ts";
import type { Output } from "../output.ts";

const command: Command = {
  name: "doctor",
  description:
    "Reads every session of every agent and reports what is installed, where it looked, what it found, what it skipped and why, unknown record types, and how costs were determined.",
  arguments: [{ name: "agent", description: "only this agent", optional: true, completes: "agents" }],
  options: [{ name: "verbose", short: "v", description: "name every skipped file" }],
  examples: [
    ["amux doctor", "all agents"],
    ["amux doctor claude -v", "one agent, with every skipped file"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const client = createClient();
    const [agent] = invocation.arguments;
    const { reports, refused } = await examineAgents(client.sessions, processEnv(), {
      ...optional("agent", agent),
      onProgress: progressOn(output),
    });
    const { skipped, runs } = client.sessions.runs;
    if (skipped > 0)
      output.note(
        `Run index: ${count(runs.length)} ${runs.length === 1 ? "run" : "runs"}; ${count(skipped)} ${skipped === 1 ? "line is" : "lines are"} torn or not ours.`,
      );
    for (const { path, reason } of readReviews(amuxHome(processEnv())).damaged)
      output.note(`Not a review: ${withoutControls(path)} (${oneLine(reason)}). It is left as it is.`);
    for (const line of await failedChannels()) output.note(line);
    for (const problem of pluginProblems()) output.note(withoutControls(problem));
    for (const refusal of refused) output.note(`Not read: ${withoutControls(refusal)}`);
    if (output.json) return output.writeJson(reports);
    await output.page(
      reports.flatMap((report) => reportLines(report, output, invocation.flag("verbose"))).map((line) => `${line}\n`),
    );
  },
};

export default command;

/** As a running daemon tells them. */
async function failedChannels(): Promise<string[]> {
  try {
    const channels = await new NotifyApi(daemonClient()).channels();
    return channels.flatMap(({ id, service, error }) =>
      error === undefined ? [] : [`Notifications through ${id} (${service}) failed: ${oneLine(error)}`],
    );
  } catch (error) {
    if (error instanceof DaemonMissing) return [];
    return [`Notifications: ${oneLine(errorText(error))}`];
  }
}

const SHOWN_WITHOUT_VERBOSE = 5;

function reportLines(report: AgentReport, output: Output, verbose: boolean): string[] {
  const found = report.stores.filter((store) => store.exists).map((store) => store.path);
  const lines = [
    output.style("bold", `${report.displayName} (${report.agent})`),
    `  program    ${report.installed ? `${report.program}${report.version === undefined ? "" : `  ${report.version}`}` : output.style("dim", "not on the PATH")}`,
    `  store      ${found.length > 0 ? found.join(", ") : output.style("dim", `none at ${report.stores.map((store) => store.path).join(", ")}`)}`,
  ];
  if (found.length > 0) {
    const empty = report.empty > 0 ? `, ${count(report.empty)} without a conversation` : "";
    lines.push(
      `  sessions   ${count(report.sessions)} found, ${count(report.parsed)} read, ${bytes(report.bytes)}${empty}`,
    );
    lines.push(`  requests   ${requestText(report)}`);
  }
  if (report.skippedCount > 0) {
    lines.push(output.style("yellow", `  skipped    ${count(report.skippedCount)}`));
    const shown = verbose ? report.skipped : report.skipped.slice(0, SHOWN_WITHOUT_VERBOSE);
    for (const { path, reason } of shown)
      lines.push(`             ${withoutControls(path)}: ${withoutControls(reason)}`);
    if (shown.length < report.skippedCount)
      lines.push(output.style("dim", `             … ${report.skippedCount - shown.length} more (-v)`));
  }
  if (report.damagedLines > 0) {
    lines.push(
      output.style(
        "yellow",
        `  damaged    ${count(report.damagedLines)} lines in ${count(Object.keys(report.damaged).length)} files`,
      ),
    );
    if (verbose)
      for (const [path, number] of Object.entries(report.damaged))
        lines.push(`             ${withoutControls(path)}: ${number}`);
  }
  const unknown = Object.entries(report.unknownRecordTypes).map(([type, number]) => `${oneLine(type)} ×${number}`);
  if (unknown.length > 0) lines.push(output.style("yellow", `  unknown    record types: ${unknown.join(", ")}`));
  return [...lines, ""];
}

function requestText({ requests, duplicates }: AgentReport): string {
  const parts = (Object.entries(requests) as [CostKind, number][])
    .filter(([, number]) => number > 0)
    .map(([kind, number]) => `${count(number)} ${kind}`);
  if (duplicates > 0) parts.push(`${counted(duplicates, "copy", "copies")} not counted again`);
  return parts.length > 0 ? parts.join(", ") : "none";
}
