/**
 * The page's only state of its own: which session the terminal shows, and which one is on its way back. Both follow what
 * the daemon tells: a selected session that dies is selected no more; a resume ends when the session lives, or after ten
 * seconds.
 */
import { computed, effect, signal } from "@preact/signals";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { isConfirmed } from "../ui/ask.tsx";
import { attempt, tell } from "../ui/notices.ts";
import { api } from "./api.ts";
import { isComplete, sessions } from "./projection.ts";
import { conversationPath, go, rename, route, sessionPath } from "./route.ts";

const RESUME_WITHIN_MS = 10_000;
const LAUNCH_WITHIN_MS = 10_000;

export const selectedId = signal<string | null>(null);
export const resumingId = signal<string | null>(null);
/** A session that was started from here and is shown as soon as it is told of. */
const awaitedId = signal<string | null>(null);

/** Grows with every choice of a session: whoever chooses one, if only again, wants to type into it. */
export const choices = signal(0);

let resumeTimer: ReturnType<typeof setTimeout> | undefined;

/** The terminal needs a socket to connect to. */
export function isAttachable(session: MuxSession | undefined): boolean {
  return session?.alive === true && session.socket_path !== undefined;
}

export const selected = computed(() => (selectedId.value === null ? undefined : sessions.value.get(selectedId.value)));

/** Whose terminal or last screen is on the screen now. */
export const shownId = computed(() => {
  const { value: here } = route;
  return here.view === "session" ? (here.id ?? selectedId.value) : null;
});

/** A click on a row shows it: its terminal, its last screen, or what was said where it never had a terminal. */
export function choose(session: MuxSession): void {
  if (isAttachable(session)) return select(session.id);
  const conversation = session.started_at === undefined ? conversationPath(session) : undefined;
  go(conversation ?? sessionPath(session.id));
}

/** Whether its agent goes on with the conversation; anything else begins from the beginning. */
export function goesOn({ resume_key, agent }: MuxSession): boolean {
  return resume_key !== undefined && agent === undefined;
}

/** Brings it back; a command that would do all it did a second time is asked about. */
export async function runAgain(session: MuxSession): Promise<void> {
  const { id, command, cwd } = session;
  if (goesOn(session) || (await isConfirmed(`Run this again in ${cwd}?`, "Run again", command.join(" ")))) resume(id);
}

export function select(id: string): void {
  selectedId.value = id;
  choices.value = choices.peek() + 1;
  go(sessionPath(id));
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

/** Shows a session that was just started, when it is there. */
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
  // An address that names a session selects it, once there is something to select.
  effect(() => {
    const { value: here } = route;
    if (!isComplete.value || here.view !== "session") return;
    const wanted = here.id;
    if (wanted === null) selectFirst();
    else if (!sessions.value.has(wanted)) openNamed(wanted);
    else if (wanted !== selectedId.peek() && isAttachable(sessions.peek().get(wanted))) selectedId.value = wanted;
  });
}

/** An address with a slug or a name is one to be typed and handed on; from here on it is the session's own. */
function openNamed(wanted: string): void {
  const named = [...sessions.peek().values()].filter(({ kind, slug = "", name, peer }) => {
    const machine = peer === undefined ? "" : `@${peer}`;
    return [slug, `${kind}/${slug}`, ...(name === undefined ? [] : [name])].some(
      (each) => wanted === `${each}${machine}`,
    );
  });
  // Agents may have given the same one: the living are meant before the dead.
  const meant = named.find(({ alive }) => alive) ?? named[0];
  if (meant !== undefined) rename(sessionPath(meant.id));
}

function selectFirst(): void {
  const first = [...sessions.peek().values()].find(isAttachable);
  if (first === undefined) return rename("/overview");
  selectedId.value = first.id;
  rename(sessionPath(first.id));
}
