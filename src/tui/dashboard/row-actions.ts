/** What can be done with the chosen row. The same words as the commands: attach, kill, rename, dismiss, resume, details. */
import { endSession, forgetSession, markRead, renameSession } from "../data/session-actions.ts";
import { tmuxSocketOf } from "../../status/kept-evidence.ts";
import type { Row } from "../data/row.ts";
import type { Stage } from "../view.ts";
import { ChoiceView, PromptView } from "../views/prompts.ts";
import { TextView } from "../views/text-view.ts";
import { costLines, explainLines, metricsLines } from "./details.ts";
import { bringBack, showEnded } from "./ended.ts";
import { gitView } from "./git-view.ts";
import { remoteTranscriptLines, transcriptView } from "./transcript.ts";

/** False when the action is none of a row's. */
export function rowAction(stage: Stage, action: string, row: Row | undefined): boolean {
  const act = ACTIONS[action];
  if (act === undefined) return false;
  if (row === undefined) stage.say("Nothing selected.");
  else act(stage, row);
  return true;
}

type RowAction = (stage: Stage, row: Row) => void;

const ACTIONS: Readonly<Record<string, RowAction>> = {
  open: (stage, row) => stage.attempt(open(stage, row)),
  again: bringBack,
  kill,
  rename,
  dismiss: (stage, row) => stage.attempt(dismiss(stage, row)),
  git: (stage, row) => stage.push(gitView(stage, row)),
  metrics: (stage, row) =>
    stage.push(new TextView(stage, { title: `metrics · ${row.name}`, load: () => metricsLines(stage, row) })),
  cost: (stage, row) =>
    stage.push(new TextView(stage, { title: `cost · ${row.name}`, load: () => costLines(stage, row) })),
  explain: (stage, row) =>
    stage.push(new TextView(stage, { title: `why this status · ${row.name}`, load: () => explainLines(row) })),
  transcript,
};

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

/** Inside tmux the client changes sessions; outside, tmux has the terminal until it is left. */
async function attachTmux(stage: Stage, row: Row): Promise<void> {
  const file = stage.services.statusFiles.read(row.name);
  const socket = file === undefined ? undefined : tmuxSocketOf(file);
  const inside = stage.services.env.vars["TMUX"];
  const isSame = inside !== undefined && inside !== "" && (socket === undefined || inside.startsWith(`${socket},`));
  const where = socket === undefined ? [] : ["-S", socket];
  await stage.handOver("tmux", [...where, isSame ? "switch-client" : "attach-session", "-t", `=${row.name}`]);
}

function kill(stage: Stage, row: Row): void {
  if (row.kind === "past") return stage.say("Nothing to end: this session is not running.");
  if (row.kind === "dead" || row.peer?.alive === false) return stage.say("It has already ended.");
  if (row.kind === "tmux") return stage.say("Stop tmux sessions in tmux.");
  const end = async (): Promise<void> => {
    await endSession(stage.services, row.key);
    stage.board.refresh();
    stage.say(`${row.name} has ended.`);
  };
  stage.push(
    new ChoiceView(stage, `End ${row.name}? It gets SIGHUP, then SIGKILL.`, [
      { key: "y", does: "end it", run: () => stage.attempt(end()) },
    ]),
  );
}

function rename(stage: Stage, row: Row): void {
  if (row.kind !== "live" && row.peer?.alive !== true) return stage.say("Only a running session can be renamed.");
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

/** Looked at: a running session is no longer unread; one that has ended is forgotten. */
async function dismiss(stage: Stage, row: Row): Promise<void> {
  const { services, board } = stage;
  const { kind, key, name, peer } = row;
  if (kind === "past") return stage.say("Nothing to dismiss.");
  if (kind === "tmux") {
    const now = Math.floor(Date.now() / 1000);
    services.statusFiles.update(name, (file) => ({ ...file, status: "working", message: "", timestamp: now }));
  } else if (kind === "dead" || peer?.alive === false) await forgetSession(services, key);
  else await markRead(services, key);
  board.refresh();
}

function transcript(stage: Stage, { key, conversation, name, peer }: Row): void {
  if (peer?.unreachable === true) return stage.say(`${peer.name} cannot be reached. See amux peers status.`, "bad");
  if (peer === undefined && conversation === undefined) return stage.say("No conversation found for this session.");
  const title = `transcript · ${name}`;
  if (conversation !== undefined) return stage.push(transcriptView(stage, title, conversation, { atEnd: true }));
  const load = (): ReturnType<typeof remoteTranscriptLines> => remoteTranscriptLines(stage.services, key);
  stage.push(new TextView(stage, { title, load, atEnd: true, isWhole: true }));
}
