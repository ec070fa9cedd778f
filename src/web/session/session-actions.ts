/** Actions on a session. Irreversible ones ask first. */
import type { MuxSession } from "../../protocol/mux-session.ts";
import { api } from "../state/api.ts";
import { isConfirmed } from "../ui/confirm-dialog.tsx";
import { plural } from "../ui/figures.ts";
import { attempt, tellUndo } from "../ui/notices.ts";

export async function end({ id, title }: MuxSession): Promise<void> {
  if (await isConfirmed(`End “${title}”?`, "End", "Its program is stopped. Its last screen stays.")) {
    await attempt(() => api.kill(id));
  }
}

export async function restart({ id, title }: MuxSession): Promise<void> {
  if (await isConfirmed(`Restart “${title}”?`, "Restart", "Its program is stopped and started again.")) {
    await attempt(() => api.restart(id));
  }
}

/** Asks before it ends a running session. */
export async function dismiss({ id, alive, title, queued = 0, queue_held = 0 }: MuxSession): Promise<void> {
  if (!alive || (await isConfirmed(`End “${title}” and remove it?`, "End and remove"))) {
    if ((await attempt(() => api.dismiss(id))) === undefined) return;
    const prompts = queued + queue_held;
    const lost = prompts === 0 ? "" : `, with ${plural(prompts, "prompt")} of its queue`;
    tellUndo(`“${title}” is dismissed${lost}.`, () => api.restore(id));
  }
}

/** An empty name restores the session's own title. */
export async function rename({ id, name: before = "", title }: MuxSession, name: string): Promise<void> {
  if (name.trim() === before || (before === "" && name.trim() === title)) return;
  if ((await attempt(() => api.rename(id, name.trim()))) === undefined) return;
  tellUndo(`Renamed to “${name.trim() || "its own title"}”.`, () => api.rename(id, before));
}
