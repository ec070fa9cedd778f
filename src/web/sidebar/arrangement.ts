/** The sidebar's filter text and arrangement. */
import { computed, signal } from "@preact/signals";
import { projects, sessions } from "../state/projection.ts";
import { arrange } from "./groups.ts";

export const filter = signal("");

export const arrangement = computed(() => arrange(sessions.value.values(), projects.value, { filter: filter.value }));
