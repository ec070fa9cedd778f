/** A transcript as lines of text. */
import type { TranscriptPart } from "../../client/daemon-api.ts";
import type { SessionMessage } from "../../core/session.ts";
import { transcriptLines as linesOf, type LineKind } from "../../history/transcript-lines.ts";
import type { SpawnRequest } from "../../client/shim-client.ts";
import { optional } from "../../lib/values/optional.ts";
import { ChangesView } from "../changes/changes-view.ts";
import { subjectOf } from "../changes/subject-of.ts";
import { COLOR_BITS } from "../render/style.ts";
import { THEME } from "../theme.ts";
import type { TuiServices, WorkSubject } from "../services.ts";
import type { Stage } from "../view.ts";
import { PromptView } from "../views/prompts.ts";
import { TextView, type TextLine } from "../views/text-view.ts";
import { costLines } from "./details.ts";

const REMOTE_WITHIN_MS = 60_000;

/** `last`: the number of newest messages to read. */
export async function transcriptLines(
  services: TuiServices,
  { agent, sessionId }: { agent: string; sessionId: string },
  last = Number.POSITIVE_INFINITY,
): Promise<TextLine[]> {
  const history = await services.history();
  const { messages } = await history.open(agent, sessionId);
  const kept: SessionMessage[] = [];
  let count = 0;
  for (const message of messages()) {
    kept.push(message);
    count++;
    if (kept.length > last) kept.shift();
  }
  return kept.flatMap((message, at) => messageLines(message, count - kept.length + at));
}

/** Reads the transcript of a session on another machine. */
export async function remoteTranscriptLines({ daemon }: TuiServices, id: string): Promise<TextLine[]> {
  const path = `/v1/sessions/${id}/transcript`;
  const { messages } = await daemon.ask<TranscriptPart>({ method: "GET", path, timeoutMs: REMOTE_WITHIN_MS });
  // Data of another machine is validated.
  const known = messages.filter(({ role, content }) => Object.hasOwn(HEADINGS, role) && typeof content === "string");
  return known.flatMap(({ timestamp, ...message }, at) =>
    messageLines(
      {
        ...(message as SessionMessage),
        ...(timestamp === undefined ? {} : { timestamp: new Date(timestamp) }),
      },
      at,
    ),
  );
}

const HEADINGS = { user: "accentBold", assistant: "goodBold", tool: "dim", system: "warn" } as const;

const LOOKS: Readonly<Partial<Record<LineKind, keyof typeof THEME>>> = {
  ...HEADINGS,
  thinking: "faint",
  call: "warn",
  output: "dim",
  failed: "bad",
  added: "added",
  removed: "removed",
  place: "accent",
  fold: "faint",
};

function messageLines(message: SessionMessage, number: number): TextLine[] {
  return linesOf(message, number).map(({ kind, text, indent, language }) => {
    const look = LOOKS[kind];
    return {
      text,
      indent,
      // The colours of a diff without backgrounds are the text's own.
      ...(look !== undefined && (THEME[look].fg & COLOR_BITS) !== 0 ? {} : optional("language", language)),
      ...(look === undefined ? {} : { look: THEME[look] }),
      ...(kind in HEADINGS ? { message: number, isPrompt: kind === "user" } : {}),
    };
  });
}

/** Resumes it. A running session is opened instead, because two agents must not write one session. */
export async function resumeConversation(stage: Stage, agent: string, sessionId: string): Promise<void> {
  const { services, board } = stage;
  board.refresh();
  const running = board
    .rows()
    .filter(({ conversation }) => conversation?.agent === agent && conversation.sessionId === sessionId)
    .find(({ kind, status }) => kind === "live" || (kind === "tmux" && !["stopped", "offline"].includes(status)));
  if (running?.kind === "live") return stage.openSession(running.key);
  if (running !== undefined) return stage.say(`It is running in the tmux session ${running.name}.`);
  stage.say("Resuming …");
  const id = await services.client.spawn(await services.resumption(agent, sessionId));
  board.refresh();
  await stage.openSession(id);
}

/** What a session changed; `enter` opens the message that made a hunk. */
export function showChanges(stage: Stage, subject: WorkSubject, closed?: () => void): void {
  const openMessage: ConstructorParameters<typeof ChangesView>[3] = ({ agent, sessionId, title, message }) =>
    stage.push(
      transcriptView(stage, title, { agent, sessionId }, message === undefined ? { atEnd: true } : { message }),
    );
  stage.push(new ChangesView(stage, subject.title, stage.services.work(subject), openMessage, closed));
}

/** A transcript with keys to resume, fork and copy its id. */
export function transcriptView(
  stage: Stage,
  title: string,
  conversation: { agent: string; sessionId: string },
  { atEnd = false, message }: { atEnd?: boolean; message?: number } = {},
): TextView {
  const { agent, sessionId } = conversation;
  const open = async (request: Promise<SpawnRequest>): Promise<void> => {
    view.close();
    const id = await stage.services.client.spawn(await request);
    stage.board.refresh();
    await stage.openSession(id);
  };
  const fork = (): void => {
    stage.push(
      new PromptView(stage, "Fork at message (empty: all of it)", String(view.message ?? ""), (text) => {
        const at = text.trim() === "" ? undefined : Number(text);
        if (at !== undefined && (!Number.isInteger(at) || at < 0))
          return stage.say(`"${text}" is not a message number.`, "bad");
        stage.say("Forking …");
        stage.attempt(open(stage.services.fork(agent, sessionId, at)));
      }),
    );
  };
  const view: TextView = new TextView(stage, {
    title,
    load: () => transcriptLines(stage.services, conversation),
    atEnd,
    ...optional("atMessage", message),
    isWhole: true,
    own: {
      mode: "transcript",
      actions: {
        again: {
          does: "resume",
          run: () => {
            view.close();
            stage.attempt(resumeConversation(stage, agent, sessionId));
          },
        },
        fork: { does: "fork", run: fork },
        changes: { does: "changes", run: () => showChanges(stage, subjectOf(stage, title, conversation)) },
        cost: {
          does: "cost",
          run: () =>
            stage.push(
              new TextView(stage, { title: `cost · ${title}`, load: () => costLines(stage, { conversation }) }),
            ),
        },
        "copy-id": { does: "copy id", run: () => stage.copy(`${agent}:${sessionId}`) },
      },
    },
  });
  return view;
}
