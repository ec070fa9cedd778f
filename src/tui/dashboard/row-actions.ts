/** What can be done with the chosen row. The same words as the commands: attach, kill, rename, dismiss, resume, details. */
import { rmSync } from "node:fs";
import { askRunner } from "../../client/runner-http.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { oneLine } from "../../lib/text.ts";
import { tmuxSocketOf } from "../../status/kept-evidence.ts";
import type { Row } from "../data/row.ts";
import type { Stage } from "../view.ts";
import { ChoiceView, PromptView } from "../views/prompts.ts";
import { TextView } from "../views/text-view.ts";
import { costLines, explainLines, gitLines, metricsLines } from "./details.ts";
import { taskView } from "./tasks.ts";
import { transcriptLines } from "./transcript.ts";

/** False when the action is none of a row's. */
export function rowAction(stage: Stage, action: string, row: Row | undefined): boolean {
  const act = ACTIONS[action];
  if (act === undefined) return false;
  if (row === undefined) stage.say("Nothing is chosen.");
  else act(stage, row);
  return true;
}

type RowAction = (stage: Stage, row: Row) => void;

const ACTIONS: Readonly<Record<string, RowAction>> = {
  open: (stage, row) => stage.attempt(open(stage, row)),
  kill,
  rename,
  dismiss: (stage, row) => stage.attempt(dismiss(stage, row)),
  git: (stage, row) => stage.push(new TextView(stage, { title: `git · ${row.name}`, load: () => gitLines(row) })),
  metrics: (stage, row) =>
    stage.push(new TextView(stage, { title: `metrics · ${row.name}`, load: () => metricsLines(stage, row) })),
  cost: (stage, row) =>
    stage.push(new TextView(stage, { title: `cost · ${row.name}`, load: () => costLines(stage, row) })),
  explain: (stage, row) =>
    stage.push(new TextView(stage, { title: `why this status · ${row.name}`, load: () => explainLines(row) })),
  tasks: (stage, row) => stage.push(taskView(stage, row)),
  transcript,
};

async function open(stage: Stage, row: Row): Promise<void> {
  const { client } = stage.services;
  switch (row.kind) {
    case "live":
      return stage.openSession(row.key);
    case "dead": {
      if (row.known === undefined) return;
      stage.say(`Starting ${row.name} again …`);
      await client.spawn(await stage.services.revival(row.known));
      return stage.openSession(row.key);
    }
    case "past": {
      if (row.conversation === undefined) return;
      stage.say(`Resuming ${row.name} …`);
      const request = await stage.services.resumption(row.conversation.agent, row.conversation.sessionId);
      return stage.openSession(await client.spawn(request));
    }
    case "tmux":
      return attachTmux(stage, row);
    case "peer":
      return stage.say("Another machine's terminal opens in the page: amux open.");
  }
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
  if (row.kind === "past") return stage.say("A past conversation has nothing to end.");
  if (row.kind === "dead") return stage.say("It has ended already.");
  if (row.kind === "tmux") return stage.say("Sessions of tmux are ended in tmux.");
  if (row.kind === "peer") return stage.say("Another machine's session is ended in the page: amux open.");
  stage.push(
    new ChoiceView(stage, `End ${row.name}? Its program is asked to leave, then made to.`, [
      {
        key: "y",
        does: "end it",
        run: () =>
          stage.attempt(
            stage.services.client.kill(row.key).then(() => {
              stage.board.refresh();
              stage.say(`${row.name} has ended.`);
            }),
          ),
      },
    ]),
  );
}

function rename(stage: Stage, row: Row): void {
  if (row.kind !== "live") return stage.say("Only a running session can be renamed.");
  stage.push(
    new PromptView(stage, "Rename", row.name, (name) => {
      if (name.trim() !== "") stage.attempt(renameSession(stage, row.key, name.trim()));
    }),
  );
}

export async function renameSession(stage: Stage, sessionId: string, name: string): Promise<void> {
  const { socket } = stage.services.client.files(sessionId);
  const answer = await askRunner(socket, { method: "PUT", path: "/title", body: oneLine(name) });
  if (answer.status >= 400)
    throw new AgentMuxError("VALIDATION_ERROR", `The session keeps its name: ${answer.body.toString("utf8")}`);
  stage.board.refresh();
}

/** Looked at: a running session is no longer unread; one that has ended is forgotten. */
async function dismiss(stage: Stage, row: Row): Promise<void> {
  if (row.kind === "live") {
    const { socket } = stage.services.client.files(row.key);
    await askRunner(socket, { method: "POST", path: "/read", body: "" });
    return stage.board.refresh();
  }
  if (row.kind === "dead") {
    rmSync(stage.services.client.files(row.key).directory, { recursive: true, force: true });
    return stage.board.refresh();
  }
  if (row.kind !== "tmux") return stage.say("There is nothing to dismiss.");
  const now = Math.floor(Date.now() / 1000);
  stage.services.statusFiles.update(row.name, (file) => ({ ...file, status: "working", message: "", timestamp: now }));
  stage.board.refresh();
}

function transcript(stage: Stage, { conversation, name }: Row): void {
  if (conversation === undefined) return stage.say("No conversation is known of this session.");
  const load = (): ReturnType<typeof transcriptLines> => transcriptLines(stage.services, conversation);
  stage.push(new TextView(stage, { title: `transcript · ${name}`, load, atEnd: true }));
}
