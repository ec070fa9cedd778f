/** The session whose share links are open in a dialog. */
import { signal } from "@preact/signals";

export interface SharedSession {
  unifiedId: string;
  title: string;
}

export const shareOpen = signal<SharedSession | null>(null);
