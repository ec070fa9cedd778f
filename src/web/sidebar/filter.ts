/** What is typed above the list. */
import { signal } from "@preact/signals";

export const filter = signal("");
