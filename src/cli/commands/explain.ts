import { SOURCES } from "../../core/state.ts";
import { oneLine } from "../../lib/text/text.ts";
import { localSecond } from "../../lib/text/local-time.ts";
import { optional } from "../../lib/values/optional.ts";
import type { Observation } from "../../status/evidence.ts";
import type { AgentView, SessionView } from "../../status/session-view.ts";
import type { Command } from "../command.ts";
import { age } from "../format/figures.ts";
import { withEvidence } from "../live-sessions.ts";
import type { Output } from "../output.ts";
import { ANY_SESSION_ARGUMENT } from "../mux/choose.ts";
import { sessionJson } from "../session-json.ts";
import { sessionNamed } from "../mux/session-named.ts";

const command: Command = {
  name: "explain",
  description: "Shows which source reported what and when, which report decides, and which were overruled.",
  arguments: [ANY_SESSION_ARGUMENT],
  examples: [["amux explain shop", "the evidence behind its status"]],
  async run({ arguments: [ref = ""], output }) {
    const session = await withEvidence(await sessionNamed(ref));
    if (output.json) {
      return output.writeJson({
        ...sessionJson(session),
        evidence: session.agents.map(({ agent, evidence, verdict }) => ({
          agent,
          ...evidence,
          asks: evidence.asks.map(({ doubtedAt, ...ask }) => ({ ...ask, ...optional("doubted_at", doubtedAt) })),
          overruled: verdict?.overruled ?? [],
        })),
      });
    }
    await output.write(session.agents.flatMap((agent) => lines(agent, session, output)).map((line) => `${line}\n`));
  },
};

export default command;

function lines(view: AgentView, session: SessionView, output: Output): string[] {
  const { agent, status, message, label, since, verdict, evidence } = view;
  const who = agent === "" ? session.name : `${session.name} · ${agent}`;
  const what = [label, message].filter((part) => part !== undefined).join(" · ");
  const unspoken =
    session.place === "tmux"
      ? "its status file"
      : (ENDS[status] ?? "its process only: nothing has reported what it does");
  const result = [
    output.style("bold", `${oneLine(who)}: ${status || "unknown"}`) + (what === "" ? "" : `  ${oneLine(what)}`),
    `  for ${age(new Date(since))}, by ${verdict === undefined ? unspoken : sourceText(verdict.by)}`,
  ];
  for (const older of verdict?.overruled ?? [])
    result.push(`  overrules ${sourceText(older)}: ${older.state}, which is older`);
  if (evidence.asks.length > 0) result.push("  open questions:", ...evidence.asks.map((ask) => `    ${said(ask)}`));
  const words = SOURCES.flatMap((source) => evidence.said[source] ?? []);
  if (words.length > 0) result.push("  latest from each source:", ...words.map((word) => `    ${said(word)}`));
  if (evidence.log.length > 0) {
    result.push(
      "  history:",
      ...evidence.log.map(
        (entry) =>
          `    ${said(entry)}${entry.ignored === undefined ? "" : output.style("dim", `  (${entry.ignored})`)}`,
      ),
    );
  }
  return [...result, ""];
}

/** How the end of a session is known. */
const ENDS: Readonly<Record<string, string>> = {
  ended: "its process, which has ended",
  lost: "its process, which is gone",
};

function said(word: Observation): string {
  const scope = word.scope === undefined ? "" : ` [${word.scope}]`;
  const text = [word.label, word.message].filter((part) => part !== undefined).join(" · ");
  const head = `${localSecond(new Date(word.at))}  ${word.source.padEnd(10)} ${word.state.padEnd(10)}`;
  return [head, oneLine(`${word.event ?? ""}${scope}`), oneLine(text)].filter((part) => part !== "").join("  ");
}

function sourceText({ source, event, at }: Observation): string {
  return `${source}${event === undefined ? "" : ` (${oneLine(event)})`} at ${localSecond(new Date(at))}`;
}
