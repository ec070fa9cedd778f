/** Ended sessions: shown as they ended, restarted only on request. */
import { MAX_DOCUMENT_BYTES, readBytes } from "../../lib/fs/foreign-file.ts";
import { oneLine } from "../../lib/text/text.ts";
import { parseRecord } from "../../protocol/recorded-screen.ts";
import { recordFile, sessionFiles } from "../../protocol/session-files.ts";
import { reviveSession } from "../data/session-actions.ts";
import type { Row } from "../data/row.ts";
import { MAIN_PTY } from "../layout/pane-id.ts";
import { finalScreen } from "../panes/final-screen.ts";
import type { Grid } from "../render/grid.ts";
import { THEME } from "../theme.ts";
import type { Stage } from "../view.ts";
import { ChoiceView } from "../views/prompts.ts";
import { TextView, type TextLine } from "../views/text-view.ts";
import { age } from "./figures.ts";
import { resumeConversation, transcriptView } from "./transcript.ts";

/** The last screen of an ended session. */
export function lastScreen(stage: Stage, sessionId: string): Grid {
  const { directory } = sessionFiles(stage.services.places, sessionId);
  const { cols, rows, output } = parseRecord(readBytes(recordFile(directory, MAIN_PTY), MAX_DOCUMENT_BYTES));
  return finalScreen(cols, rows, output);
}

/** Its last screen or its transcript, with a key to resume it. */
export function showEnded(stage: Stage, row: Row): void {
  const { name, kind, message, conversation, updatedMs } = row;
  const how = kind === "past" ? "" : ` · ${message} ${age(updatedMs, Date.now())} ago`;
  if (kind === "past" && conversation !== undefined)
    return stage.push(transcriptView(stage, name, conversation, { atEnd: true }));
  const load = (): TextLine[] => [
    ...(kind === "dead" ? screenLines(stage, row.key) : []),
    { text: "" },
    ...endLines(stage, row),
  ];
  const view: TextView = new TextView(stage, {
    title: `${name}${how}`,
    load,
    atEnd: true,
    isWhole: true,
    own: {
      mode: "dashboard",
      actions: {
        again: {
          does: goesOn(row) ? "resumes it" : "runs it again",
          run: () => {
            view.close();
            restartEnded(stage, row);
          },
        },
      },
    },
  });
  stage.push(view);
}

/** Running a command again needs a confirmation; an agent resumes its conversation. */
export function restartEnded(stage: Stage, row: Row): void {
  if (row.kind === "live" || row.kind === "tmux" || row.peer?.alive === true) return stage.say("It is running.");
  if (row.peer !== undefined && !row.peer.resumable) return stage.say("It has ended and cannot be resumed.");
  if (goesOn(row)) return stage.attempt(revive(stage, row));
  stage.push(
    new ChoiceView(stage, `Run this again in ${row.cwd}? ${commandOf(row)}`, [
      { key: "y", does: "run it again", run: () => stage.attempt(revive(stage, row)) },
    ]),
  );
}

async function revive(stage: Stage, { kind, key, name, conversation }: Row): Promise<void> {
  const { services } = stage;
  if (kind === "past") {
    if (conversation === undefined) return;
    return resumeConversation(stage, conversation.agent, conversation.sessionId);
  }
  stage.say(`Resuming ${name} …`);
  await reviveSession(services, stage.board, key);
  await stage.openSession(key);
}

function goesOn({ kind, known, peer }: Row): boolean {
  if (kind === "past") return true;
  if (peer !== undefined) return !peer.hasRun || peer.goesOn;
  return known?.meta.resume_key !== undefined && known.meta.agent === undefined;
}

function screenLines(stage: Stage, sessionId: string): TextLine[] {
  try {
    const screen = lastScreen(stage, sessionId);
    const lines = Array.from({ length: screen.height }, (_, y) => ({ text: screen.text(y).trimEnd() }));
    while (lines.at(-1)?.text === "") lines.pop();
    return lines;
  } catch {
    return [{ text: "No screen was saved.", look: THEME.dim }];
  }
}

function endLines(stage: Stage, row: Row): TextLine[] {
  const key = stage.keymap.keyOf("dashboard", "again");
  const what = goesOn(row) ? "resumes it" : `runs it again: ${commandOf(row)}`;
  return [{ text: `${row.message || "ended"}. ${key} ${what}`, look: THEME.dim }];
}

function commandOf({ known, name }: Row): string {
  return oneLine(known?.meta.command.join(" ") ?? name);
}
