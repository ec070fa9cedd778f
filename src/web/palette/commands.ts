/** The commands of the palette. */
import type { MuxSession } from "../../protocol/mux-session.ts";
import { openLaunch } from "../launch/launch-dialog.tsx";
import { end, restart } from "../session/session-actions.ts";
import { isDark, theme } from "../state/preferences.ts";
import { attention, sessions } from "../state/projection.ts";
import { canOpenBeside, openBeside } from "../state/beside.ts";
import { conversationPath, go, searchPath } from "../state/route.ts";
import { choose, isAttachable, resumesConversation, runAgain, select, selected } from "../state/selection.ts";
import { baseName } from "../ui/figures.ts";
import { age } from "../ui/times.ts";
import { openKeyHelp } from "./key-help.tsx";

export interface PaletteCommand {
  key: string;
  title: string;
  note: string;
  /** Additional search terms. */
  words?: string;
  /** Offered for any query. */
  always?: boolean;
  run(): void;
}

/** Without a text: what runs and what ended last, with room for the views. */
const RECENT = 6;

export function commands(text: string): PaletteCommand[] {
  const all = offered();
  if (text.trim() === "") return [...waiting(), ...rows(all.slice(0, RECENT)), ...ofSelected(), ...views(text)];
  return [...waiting(), ...ofSelected(), ...rows(all), ...returns(all), ...besides(all), ...views(text)];
}

function waiting(): PaletteCommand[] {
  const own = attention.value.filter(
    ({ place, reason, sessions: of }) => place === undefined && (reason !== "queue" || of !== undefined),
  );
  return own.map(({ session_id, title, reason, sessions: [first] = [] }) => ({
    key: `needs ${session_id} ${reason}`,
    title,
    note: `needs you: ${reason}`,
    run: () => (reason === "budget" ? go("/cost") : select(first ?? session_id)),
  }));
}

/** Running ones first, then the newest. Archived sessions are only in History. */
function offered(): MuxSession[] {
  return [...sessions.value.values()]
    .filter(({ archived }) => archived !== true)
    .sort((a, b) => Number(b.alive) - Number(a.alive) || (timeOf(a) < timeOf(b) ? 1 : -1));
}

function timeOf({ alive, exited_at, created_at }: MuxSession): string {
  return alive ? created_at : (exited_at ?? created_at);
}

/** Tells sessions of the same title apart. */
function noteOf(session: MuxSession): string {
  const { agent, kind, cwd, peer, alive } = session;
  const ended = age(timeOf(session));
  const when = alive ? "" : ended === "now" ? "ended just now" : `ended ${ended} ago`;
  return [agent ?? kind, cwd === "" ? "" : baseName(cwd), peer ?? "", when].filter(Boolean).join(" · ");
}

function rows(all: readonly MuxSession[]): PaletteCommand[] {
  return all.map((session) => ({
    key: session.id,
    title: session.title,
    note: noteOf(session),
    words: session.cwd,
    run: () => choose(session),
  }));
}

/** With this text the palette lists what can be opened beside the visible session. */
export const BESIDE = "beside: ";

function besides(all: readonly MuxSession[]): PaletteCommand[] {
  return all
    .filter((session) => isAttachable(session) && canOpenBeside(session.id))
    .map((session) => ({
      key: `beside ${session.id}`,
      title: `Open beside: ${session.title}`,
      note: noteOf(session),
      run: () => openBeside(session.id),
    }));
}

/** Listed after commands that only show something. */
function returns(all: readonly MuxSession[]): PaletteCommand[] {
  return all
    .filter(({ resumable }) => resumable === true)
    .map((session) => ({
      key: `again ${session.id}`,
      title: `${resumesConversation(session) ? "Resume" : "Run again"}: ${session.title}`,
      note: noteOf(session),
      words: session.cwd,
      run: () => void runAgain(session),
    }));
}

function ofSelected(): PaletteCommand[] {
  const session = selected.value;
  if (session === undefined) return [];
  const { title } = session;
  const list: PaletteCommand[] = [
    {
      key: "restart",
      title: "Restart this session",
      note: title,
      run: () => void restart(session),
    },
    {
      key: "end",
      title: "End this session",
      note: title,
      run: () => void end(session),
    },
  ];
  const path = conversationPath(session);
  if (path !== undefined) {
    list.unshift({ key: "transcript", title: "Read the transcript", note: title, run: () => go(path) });
  }
  return list;
}

function views(text: string): PaletteCommand[] {
  const to = (path: string, title: string, note = ""): PaletteCommand => ({
    key: path,
    title,
    note,
    run: () => go(path),
  });
  return [
    { key: "new", title: "New session", note: "start an agent or a shell", run: () => openLaunch() },
    { key: "keys", title: "Keys", note: "list all keys", run: openKeyHelp },
    to("/overview", "Overview"),
    to("/sessions", "Sessions", "every session in a table"),
    to("/cost", "Cost"),
    to("/settings", "Settings", "theme, notifications, other machines"),
    to("/search", "Search all history"),
    to("/compare?a=&b=", "Compare two sessions"),
    {
      key: "theme",
      title: isDark() ? "Light theme" : "Dark theme",
      note: "appearance",
      run: () => (theme.value = isDark() ? "light" : "dark"),
    },
    ...(text.trim() === "" ? [] : [{ ...to(searchPath(text), `Search history for “${text}”`), always: true }]),
  ];
}
