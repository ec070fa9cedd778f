/** Actions on the selected rows, named like the commands. */
import { endSession, forgetSession, markRead, renameSession } from "../data/session-actions.ts";
import { tmuxSocketOf } from "../../status/stored-evidence.ts";
import type { Row } from "../data/row.ts";
import { sectionOf } from "../data/row-order.ts";
import type { Stage } from "../view.ts";
import { changeLabel, readLabels, type SessionLabel } from "../../history/session-labels.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { oneLine } from "../../lib/text/text.ts";
import { optional } from "../../lib/values/optional.ts";
import { ChoiceView, PromptView } from "../views/prompts.ts";
import { queueView } from "../views/queue-view.ts";
import { TextView } from "../views/text-view.ts";
import { subjectOfRow } from "../changes/subject-of.ts";
import { costLines, explainLines, metricsLines } from "./details.ts";
import { restartEnded, showEnded } from "./ended.ts";
import { gitView } from "./git-view.ts";
import type { RowList } from "./row-list.ts";
import { remoteTranscriptLines, showChanges, transcriptView } from "./transcript.ts";

/** False if it is not an action of rows. */
export function rowAction(stage: Stage, action: string, list: RowList): boolean {
  const { row, chosen } = list;
  const onOne = ACTIONS[action];
  const onSome = ON_SOME[action];
  if (onOne === undefined && onSome === undefined) return false;
  if (action === "dismiss-ended") dismissEnded(stage, list);
  else if (onSome !== undefined && chosen.length > 0) onSome(stage, chosen, list);
  else if (onSome !== undefined && list.markedCount > 0) stage.say("None of the selected sessions is shown.");
  else if (row === undefined) stage.say("Nothing selected.");
  else onOne?.(stage, row);
  return true;
}

type RowAction = (stage: Stage, row: Row) => void;

/** Actions on all selected rows; each clears the selection when it is done. */
const ON_SOME: Readonly<Record<string, (stage: Stage, rows: readonly Row[], list: RowList) => void>> = {
  kill,
  dismiss: (stage, rows, list) => {
    list.clearMarks();
    stage.attempt(dismiss(stage, rows));
  },
  "dismiss-ended": () => undefined,
  star: (stage, rows, list) => {
    list.clearMarks();
    label(stage, rows, (own) => ({ ...own, starred: !rows.every(({ past }) => past?.starred === true) }));
  },
};

const ACTIONS: Readonly<Record<string, RowAction>> = {
  open: (stage, row) => stage.attempt(open(stage, row)),
  again: restartEnded,
  rename,
  tags,
  git: (stage, row) => stage.push(gitView(stage, row)),
  metrics: (stage, row) =>
    stage.push(new TextView(stage, { title: `metrics · ${row.name}`, load: () => metricsLines(stage, row) })),
  cost: (stage, row) =>
    stage.push(new TextView(stage, { title: `cost · ${row.name}`, load: () => costLines(stage, row) })),
  explain: (stage, row) =>
    stage.push(new TextView(stage, { title: `why this status · ${row.name}`, load: () => explainLines(row) })),
  transcript,
  changes: (stage, row) => showChanges(stage, subjectOfRow(row)),
  queue,
};

function queue(stage: Stage, { kind, key, name, peer }: Row): void {
  if (kind === "live" || kind === "dead" || peer?.hasRun === true) stage.push(queueView(stage, key, name));
  else stage.say("Only sessions of amux have a queue.");
}

export async function open(stage: Stage, row: Row): Promise<void> {
  switch (row.kind) {
    case "live":
      return stage.openSession(row.key);
    case "dead":
    case "past":
      return showEnded(stage, row);
    case "tmux":
      return attachTmux(stage, row);
    case "peer":
      return openPeer(stage, row);
  }
}

async function openPeer(stage: Stage, row: Row): Promise<void> {
  const { key, peer } = row;
  if (peer?.unreachable === true) return stage.say(`${peer.name} cannot be reached. See amux peers status.`, "bad");
  if (peer?.alive !== true) return showEnded(stage, row);
  await stage.openSession(key);
}

/** Inside tmux the client switches sessions; outside, tmux takes over the terminal until it detaches. */
async function attachTmux(stage: Stage, row: Row): Promise<void> {
  const file = stage.services.statusFiles.read(row.name);
  const socket = file === undefined ? undefined : tmuxSocketOf(file);
  const inside = stage.services.env.vars["TMUX"];
  const isSame = inside !== undefined && inside !== "" && (socket === undefined || inside.startsWith(`${socket},`));
  const where = socket === undefined ? [] : ["-S", socket];
  await stage.handOver("tmux", [...where, isSame ? "switch-client" : "attach-session", "-t", `=${row.name}`]);
}

function kill(stage: Stage, rows: readonly Row[], list: RowList): void {
  const reasons = rows.map(whyNotEnded);
  const ending = rows.filter((_, at) => reasons[at] === undefined);
  const [first] = ending;
  if (first === undefined) return stage.say(reasons[0] ?? "Nothing to end.");
  const isOne = ending.length === 1;
  const end = async (): Promise<void> => {
    list.clearMarks();
    await withEach(stage, ending, ({ key }) => endSession(stage.services, key));
    stage.say(isOne ? `${first.name} has ended.` : `${ending.length} sessions have ended.`);
  };
  const question = isOne ? `End ${first.name}? It gets` : `End ${ending.length} sessions? They get`;
  stage.push(
    new ChoiceView(stage, `${question} SIGHUP, then SIGKILL.`, [
      { key: "y", does: isOne ? "end it" : "end them", run: () => stage.attempt(end()) },
    ]),
  );
}

/** A failure does not stop the others; it is thrown at the end. */
async function withEach(stage: Stage, rows: readonly Row[], act: (row: Row) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const row of rows) await act(row).catch((error: unknown) => failures.push(error));
  stage.board.refresh();
  if (failures.length === 0) return;
  if (rows.length === 1) throw failures[0];
  throw new AgentMuxError(
    "INVALID_STATE_TRANSITION",
    `${failures.length} of ${rows.length} failed. The first: ${errorText(failures[0])}`,
    { cause: failures[0] },
  );
}

function whyNotEnded({ kind, peer }: Row): string | undefined {
  if (kind === "past") return "Nothing to end: this session is not running.";
  if (kind === "dead" || peer?.alive === false) return "It has already ended.";
  return kind === "tmux" ? "Stop tmux sessions in tmux." : undefined;
}

function rename(stage: Stage, row: Row): void {
  if (row.past !== undefined) {
    return stage.push(
      new PromptView(stage, "Rename (empty: its own title)", row.past.title, (text) => {
        const name = oneLine(text);
        label(stage, [row], ({ tags: own, starred }) => ({
          tags: own,
          starred,
          ...optional("name", name === "" ? undefined : name),
        }));
      }),
    );
  }
  if (row.kind !== "live" && row.peer?.alive !== true)
    return stage.say("Only a running or past session can be renamed.");
  const name = row.peer === undefined ? row.name : row.name.slice(0, -` @${row.peer.name}`.length);
  stage.push(
    new PromptView(stage, "Rename", name, (text) => {
      if (text.trim() !== "") stage.attempt(renamed(stage, row.key, text.trim()));
    }),
  );
}

async function renamed(stage: Stage, sessionId: string, name: string): Promise<void> {
  await renameSession(stage.services, sessionId, name);
  stage.board.refresh();
}

function tags(stage: Stage, row: Row): void {
  if (row.past === undefined) return stage.say("Only past sessions have tags here.");
  // Tags of runs cannot be changed.
  const own = readLabels(stage.services.env).get(row.past.unifiedId)?.tags ?? [];
  stage.push(
    new PromptView(stage, "Your tags, separated by spaces", own.join(" "), (text) => {
      const given = [...new Set(oneLine(text).split(/[\s,]+/))].filter((tag) => tag !== "");
      label(stage, [row], (before) => ({ ...before, tags: given }));
    }),
  );
}

/** Labels of past sessions are stored in amux's home. */
function label(stage: Stage, rows: readonly Row[], change: (label: SessionLabel) => SessionLabel): void {
  const past = rows.flatMap((row) => row.past ?? []);
  if (past.length === 0) return stage.say("Only past sessions can be starred.");
  const work = async (): Promise<void> => {
    for (const { unifiedId } of past) changeLabel(stage.services.env, unifiedId, change);
    await stage.board.refreshPast();
  };
  stage.attempt(work());
}

/** Marks a running session as read; removes an ended one from the list. */
async function dismiss(stage: Stage, rows: readonly Row[]): Promise<void> {
  const { services } = stage;
  const some = rows.filter(({ kind }) => kind !== "past");
  if (some.length === 0) return stage.say("Nothing to dismiss.");
  await withEach(stage, some, async ({ kind, key, name, peer }) => {
    if (kind === "tmux") {
      const now = Math.floor(Date.now() / 1000);
      services.statusFiles.update(name, (file) => ({ ...file, status: "working", message: "", timestamp: now }));
    } else if (kind === "dead" || peer?.alive === false) await forgetSession(services, key);
    else await markRead(services, key);
  });
  if (some.length > 1) stage.say(`Dismissed ${some.length} sessions.`);
}

function dismissEnded(stage: Stage, { ended }: RowList): void {
  const { length } = ended;
  if (length === 0) return stage.say("No session has ended.");
  const question = `Dismiss ${length === 1 ? "1 ended session" : `${length} ended sessions`}? Their last screens go too.`;
  const run = (): void => {
    stage.board.refresh();
    // Skips sessions that were resumed while the prompt was open.
    const asked = new Set(ended.map(({ key }) => key));
    const still = stage.board.rows().filter((row) => asked.has(row.key) && sectionOf(row) === "ended");
    stage.attempt(dismiss(stage, still));
  };
  stage.push(new ChoiceView(stage, question, [{ key: "y", does: "dismiss", run }]));
}

function transcript(stage: Stage, { key, conversation, name, peer }: Row): void {
  if (peer?.unreachable === true) return stage.say(`${peer.name} cannot be reached. See amux peers status.`, "bad");
  if (peer === undefined && conversation === undefined) return stage.say("No conversation found for this session.");
  const title = `transcript · ${name}`;
  if (conversation !== undefined) return stage.push(transcriptView(stage, title, conversation, { atEnd: true }));
  const load = (): ReturnType<typeof remoteTranscriptLines> => remoteTranscriptLines(stage.services, key);
  stage.push(new TextView(stage, { title, load, atEnd: true, isWhole: true }));
}
