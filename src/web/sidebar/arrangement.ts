/** What is typed above the list, and the list as it is arranged now. */
import { computed, signal } from "@preact/signals";
import { projects, sessions } from "../state/projection.ts";
import { arrange } from "./groups.ts";

export const filter = signal("");

export const arrangement = computed(() => arrange(sessions.value.values(), projects.value, { filter: filter.value }));
