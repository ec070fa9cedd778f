import { join } from "node:path";
import { AgentMuxError } from "../../core/errors.ts";
import { amuxHome, processEnv } from "../../lib/fs/paths.ts";
import { localTime } from "../../lib/text/local-time.ts";
import { printableJson } from "../../lib/text/text.ts";
import { optional } from "../../lib/values/optional.ts";
import {
  attentionQueue,
  budgetItem,
  byUrgency,
  conflictItem,
  isOfSession,
  queueItem,
  type AttentionItem,
} from "../../status/attention.ts";
import { readConflicts } from "../../status/conflict-file.ts";
import { heldPrompts } from "../../status/queue/held-prompts.ts";
import { knownSessions, type KnownSession } from "../../client/session-list.ts";
import { readWarnings } from "../../limits/budget-warnings.ts";
import { readNoticeConfig } from "../../status/notice-config.ts";
import { Notifier } from "../../status/notifier.ts";
import { viewOfSession } from "../../status/runner-view.ts";
import { withoutSnoozed } from "../../status/snooze.ts";
import { usageError, type Command } from "../command.ts";
import { agentLabel } from "../format/agent-label.ts";
import { age } from "../format/figures.ts";
import { tildePath } from "../format/tilde-path.ts";
import { table } from "../format/table.ts";
import { liveSessions, lostSessions, snoozeFile } from "../live-sessions.ts";
import { sessionDirectories } from "../mux/session-directories.ts";
import type { Output } from "../output.ts";

/** Often enough for a person; each look reads small files and queries each runner once. */
const LOOK_EVERY_MS = 1000;

const command: Command = {
  name: "attention",
  description:
    "Lists sessions that need you: permissions first, then questions, errors, used-up limits, budgets that warn, finished turns, held prompts, and sessions that edit the same file. Each question is shown with its options; amux answer picks one. With a daemon, linked machines are included.",
  options: [
    { name: "watch", description: "print the list again whenever it changes" },
    { name: "notify", description: "with --watch: notify me with the programs in attention.json" },
    { name: "all", description: "include snoozed sessions" },
  ],
  examples: [
    ["amux attention", "show who needs you, why, and since when"],
    ["amux attention --watch --json", "one line of JSON for every change"],
    [
      `echo '{"notify":["notify-send","{title}","{body}"]}' > ~/.agent-mux/attention.json`,
      "set up notifications; sound, withdraw and webhook are further fields",
    ],
    ["amux attention --watch --notify", "notify me, without the daemon"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const look = (): Promise<AttentionItem[]> => currentQueue(invocation.flag("all"));
    if (!invocation.flag("watch")) {
      if (invocation.flag("notify")) throw usageError("--notify goes with --watch.");
      return show(await look(), output);
    }
    const notifier = invocation.flag("notify") ? notifierFor(output) : undefined;
    for (let last = ""; ; await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))) {
      const queue = await look();
      notifier?.update(queue);
      const text = JSON.stringify(queue);
      if (text === last) continue;
      last = text;
      if (output.json) await output.write(`${printableJson(JSON.stringify(queue.map(itemJson)))}\n`);
      else await show(queue, output);
    }
  },
};

export default command;

async function currentQueue(withSnoozed: boolean): Promise<AttentionItem[]> {
  const now = Date.now();
  const live = await liveSessions(now);
  const sessions = attentionQueue([...live, ...lostSessions(now)], now);
  const home = amuxHome(processEnv());
  const budgets = readWarnings(home, now).map(budgetItem);
  const names = new Map(live.map(({ ref, name }) => [ref, name]));
  const conflicts = readConflicts(home, (id) => names.has(id), now);
  const clashes = conflicts.map((conflict) => conflictItem(conflict, (id) => names.get(id)));
  const known = knownSessions(sessionDirectories());
  const prompts = heldPrompts(sessionDirectories(), known);
  const held = prompts.map((prompt) => queueItem(prompt, (id) => names.get(id) ?? endedName(known, id, now)));
  const queue = [...sessions, ...budgets, ...held, ...clashes].sort(byUrgency);
  return withSnoozed ? queue : withoutSnoozed(queue, snoozeFile().read(now), now);
}

function endedName(known: readonly KnownSession[], id: string, now: number): string | undefined {
  const found = known.find(({ meta }) => meta.id === id);
  return found && viewOfSession(found, now).name;
}

function notifierFor(output: Output): Notifier {
  const path = join(amuxHome(processEnv()), "attention.json");
  const config = readNoticeConfig(path);
  if (config === undefined)
    throw new AgentMuxError("CONFIG_ERROR", `${path} is missing: it names the programs that notify you.`);
  return new Notifier({ config, onProblem: (message) => output.note(`amux: ${message}`) });
}

async function show(queue: readonly AttentionItem[], output: Output): Promise<void> {
  if (output.json) return output.writeJson(queue.map(itemJson));
  if (queue.length === 0) {
    output.note("No session needs you.");
    return;
  }
  const columns = [
    { title: "WANTS", value: (item: AttentionItem) => item.reason },
    { title: "SINCE", value: (item: AttentionItem) => age(new Date(item.since)), align: "right" as const },
    {
      title: "SESSION",
      value: (item: AttentionItem) =>
        item.place === "amux" && isOfSession(item) ? `${item.ref} ${item.name}` : item.name,
      min: 8,
    },
    { title: "WHO", value: (item: AttentionItem) => item.member ?? (agentLabel(item.agent) || "–") },
    { title: "WHAT", value: whatOf, min: 20 },
    { title: "DIRECTORY", value: (item: AttentionItem) => tildePath(item.cwd), min: 12, dispensable: 1 },
  ];
  await output.write(
    table(queue, columns, output.width, (text) => output.style("bold", text)).map((line) => `${line}\n`),
  );
}

/** The question and its options. */
function whatOf({ text = "", options = [], resetsAt }: AttentionItem): string {
  if (resetsAt !== undefined) return `${text}  [resets ${localTime(new Date(resetsAt))}]`;
  const offered = options.map(({ number, label }) => `${number === undefined ? "" : `${number} `}${label}`).join(" · ");
  return offered === "" ? text : `${text}  [${offered}]`;
}

function itemJson({ since, resetsAt, ...item }: AttentionItem): object {
  const resets = resetsAt === undefined ? undefined : new Date(resetsAt).toISOString();
  return { ...item, since: new Date(since).toISOString(), ...optional("resets_at", resets) };
}
