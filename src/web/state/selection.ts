/**
 * The page's own state: the selected session, and the one being resumed. Both follow the daemon: an ended session is
 * deselected, and a resume ends when the session runs or after 10 s.
 */
import { computed, effect, signal } from "@preact/signals";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { isConfirmed } from "../ui/confirm-dialog.tsx";
import { attempt, tell } from "../ui/notices.ts";
import { api } from "./api.ts";
import { besideIds, focusedId, pathBeside } from "./beside.ts";
import { isComplete, sessions } from "./projection.ts";
import { conversationPath, go, rename, route, sessionPath } from "./route.ts";

const RESUME_WITHIN_MS = 10_000;
const LAUNCH_WITHIN_MS = 10_000;

export const selectedId = signal<string | null>(null);
export const resumingId = signal<string | null>(null);
/** A session started from this page; it is selected when its event arrives. */
const awaitedId = signal<string | null>(null);

/** Increases with every selection, even of the same session, to move the focus into its terminal. */
export const choices = signal(0);

let resumeTimer: ReturnType<typeof setTimeout> | undefined;

/** A terminal needs a socket to connect to. */
export function isAttachable(session: MuxSession | undefined): boolean {
  return session?.alive === true && session.socket_path !== undefined;
}

export const selected = computed(() => (selectedId.value === null ? undefined : sessions.value.get(selectedId.value)));

/** The session whose terminal or last screen is visible. */
export const shownId = computed(() => {
  const { value: here } = route;
  return here.view === "session" ? (here.id ?? selectedId.value) : null;
});

export const isShown = (id: string): boolean => shownId.value === id || besideIds.value.includes(id);

/** Selects a row: shows its terminal, its last screen, or its transcript if it never had a terminal. */
export function choose(session: MuxSession): void {
  if (isAttachable(session)) return select(session.id);
  const conversation = session.started_at === undefined ? conversationPath(session) : undefined;
  go(conversation ?? sessionPath(session.id));
}

/** Whether its agent resumes the conversation; any other program starts from the beginning. */
export function resumesConversation({ resume_key, agent }: MuxSession): boolean {
  return resume_key !== undefined && agent === undefined;
}

/** Resumes the session. Running a command a second time asks first. */
export async function runAgain(session: MuxSession): Promise<void> {
  const { id, command, cwd } = session;
  if (resumesConversation(session) || (await isConfirmed(`Run this again in ${cwd}?`, "Run again", command.join(" "))))
    resume(id);
}

/** Shows the session in place of the main one, unless it is visible beside it. */
export function select(id: string): void {
  focusedId.value = id;
  choices.value = choices.peek() + 1;
  if (besideIds.peek().includes(id)) return;
  selectedId.value = id;
  go(pathBeside(id));
}

function resume(id: string): void {
  clearTimeout(resumeTimer);
  resumingId.value = id;
  go(sessionPath(id));
  resumeTimer = setTimeout(() => (resumingId.value = null), RESUME_WITHIN_MS);
  void attempt(async () => {
    try {
      const { guessed } = await api.resume(id);
      if (guessed === true) tell("This session's conversation was guessed from its directory and time.");
    } catch (error) {
      if (resumingId.value === id) resumingId.value = null;
      throw error;
    }
  });
}

/** Selects a new session when its event arrives. */
export function awaitSession(id: string): void {
  awaitedId.value = id;
  setTimeout(() => {
    if (awaitedId.value === id) awaitedId.value = null;
  }, LAUNCH_WITHIN_MS);
}

export function followProjection(): void {
  effect(() => {
    const all = sessions.value;
    const { value: resuming } = resumingId;
    if (resuming !== null && isAttachable(all.get(resuming))) {
      clearTimeout(resumeTimer);
      resumingId.value = null;
      select(resuming);
    }
    const { value: awaited } = awaitedId;
    if (awaited !== null && isAttachable(all.get(awaited))) {
      awaitedId.value = null;
      select(awaited);
    }
    const { value: current } = selectedId;
    if (current !== null && !isAttachable(all.get(current))) selectedId.value = null;
  });
  // The session in the address is selected as soon as sessions are loaded.
  effect(() => {
    const { value: here } = route;
    if (!isComplete.value || here.view !== "session") return;
    const wanted = here.id;
    if (wanted === null) selectFirst();
    else if (!sessions.value.has(wanted)) openNamed(wanted);
    else if (wanted !== selectedId.peek() && isAttachable(sessions.peek().get(wanted))) selectedId.value = wanted;
  });
}

/** Replaces a slug or name in the address by the session's id. */
function openNamed(wanted: string): void {
  const named = [...sessions.peek().values()].filter(({ kind, slug = "", name, peer }) => {
    const machine = peer === undefined ? "" : `@${peer}`;
    return [slug, `${kind}/${slug}`, ...(name === undefined ? [] : [name])].some(
      (each) => wanted === `${each}${machine}`,
    );
  });
  // Names may not be unique: running sessions are preferred.
  const meant = named.find(({ alive }) => alive) ?? named[0];
  if (meant !== undefined) rename(sessionPath(meant.id) + location.search);
}

function selectFirst(): void {
  const first = [...sessions.peek().values()].find(isAttachable);
  if (first === undefined) return rename("/overview");
  selectedId.value = first.id;
  rename(sessionPath(first.id));
}
