import type { Day } from "./blame-repository.mjs";

export function makeSecondDay(directory: string): Day;
