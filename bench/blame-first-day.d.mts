import type { Day } from "./blame-repository.mjs";

export function makeFirstDay(directory: string): Day;
