/** Whether the long form runs, its seed, and where its figures go. Set by `npm run torture`. */
import { appendFileSync } from "node:fs";

export const isLong = process.env["AMUX_TORTURE"] === "long";

/** The same seed gives the same inputs and the same schedule. */
export const seed = Number(process.env["AMUX_TORTURE_SEED"] ?? 1);

export function figure(table: string, row: object): void {
  const file = process.env["AMUX_TORTURE_FIGURES"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ table, ...row })}\n`);
}
