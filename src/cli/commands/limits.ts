import { oneLine, printableJson } from "../../lib/text/text.ts";
import type { KnownLimits } from "../../limits/known-limits.ts";
import { limitUsers } from "../../limits/limit-users.ts";
import { refusalJson, standingJson } from "../../limits/standing-json.ts";
import { forecastText, paceText, refusalText, resetText, usedText, userLines } from "../../limits/standing-text.ts";
import type { LimitStanding } from "../../limits/standing.ts";
import type { Command } from "../command.ts";
import { agentLabel } from "../format/agent-label.ts";
import { tildePath } from "../format/tilde-path.ts";
import { table } from "../format/table.ts";
import { localCost, localLimits } from "../local-limits.ts";
import type { Output } from "../output.ts";

const LOOK_EVERY_MS = 5000;

const command: Command = {
  name: "limits",
  description:
    "Shows the usage limits of your accounts as the agents report them: used share, reset, pace and forecast. Pace is the used share divided by the elapsed share of the window. The forecast lies between the average pace and the recent pace. amux never estimates a limit: unknown ones stay unknown. Below the table are the projects and sessions that cost most on this machine since each window began.",
  options: [{ name: "watch", description: "print them again whenever they change" }],
  examples: [
    ["amux limits", "every account, window by window"],
    ["amux limits --watch --json", "one line of JSON for every change"],
  ],
  async run(invocation) {
    const { output } = invocation;
    if (!invocation.flag("watch")) return show(await localLimits(), output, false);
    for (let last = ""; ; await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))) {
      const found = await localLimits();
      const figures = found.standings.map(({ at, usedPercent, resetsAt }) => [at, usedPercent, resetsAt]);
      const text = JSON.stringify([figures, found.refusals]);
      if (text !== last) await show(found, output, true);
      last = text;
    }
  },
};

export default command;

async function show({ standings, refusals, unknown }: KnownLimits, output: Output, isStream: boolean): Promise<void> {
  const users = await Promise.all(standings.map((standing) => limitUsers(standing, localCost)));
  if (output.json) {
    const limits = standings.map((standing, index) => ({ ...standingJson(standing), used_by: users[index] }));
    const answer = {
      limits,
      refusals: refusals.map(refusalJson),
      unknown: unknown.map(({ agent, hint }) => ({ agent, hint })),
    };
    return isStream ? output.write(`${printableJson(JSON.stringify(answer))}\n`) : output.writeJson(answer);
  }
  const now = Date.now();
  const columns = [
    { title: "AGENT", value: ({ agent }: LimitStanding) => agentLabel(agent) },
    { title: "ACCOUNT", value: ({ account, plan }: LimitStanding) => account ?? plan ?? "–", min: 8, dispensable: 1 },
    { title: "WINDOW", value: ({ window }: LimitStanding) => window },
    {
      title: "USED",
      value: usedText,
      align: "right" as const,
      style: (text: string, row: LimitStanding) => coloured(text, row, output),
    },
    { title: "RESETS", value: (row: LimitStanding) => resetText(row, now) },
    {
      title: "PACE",
      value: paceText,
      align: "right" as const,
    },
    { title: "FORECAST", value: ({ forecast }: LimitStanding) => forecastText(forecast, now), min: 12 },
  ];
  if (standings.length > 0)
    await output.write(
      table(standings, columns, output.width, (text) => output.style("bold", text)).map((line) => `${line}\n`),
    );
  for (const [index, { agent, window }] of standings.entries())
    for (const line of userLines(users[index]!, tildePath))
      await output.write(`${output.style("dim", oneLine(`${agentLabel(agent)} ${window}, ${line}`))}\n`);
  for (const refusal of refusals) await output.write(`${output.style("red", oneLine(refusalText(refusal, now)))}\n`);
  for (const { displayName, hint } of unknown) output.note(`${displayName}: unknown. ${hint}`);
}

function coloured(text: string, { usedPercent, isReset }: LimitStanding, output: Output): string {
  if (isReset || usedPercent < 75) return text;
  return output.style(usedPercent >= 90 ? "red" : "yellow", text);
}
