/** The session whose recording is open in a dialog. */
import { signal } from "@preact/signals";
import type { MuxSession } from "../../protocol/mux-session.ts";

export const castOpen = signal<MuxSession | null>(null);
