/** Machines in answers that are put together from several. */
import { oneLine } from "../../lib/text/text.ts";
import type { FleetMachine } from "../../protocol/fleet.ts";
import type { Output } from "../output.ts";

export function placeName(machine: string): string {
  return machine === "" ? "here" : oneLine(machine);
}

/** Where a session lies: on one machine, or in copies on several. */
export function placesText(machines: readonly string[]): string {
  return machines.map(placeName).join(", ");
}

/** What is missing must be seen to be. */
export function noteMissing(output: Output, machines: readonly FleetMachine[]): void {
  for (const { machine, error } of machines) {
    if (error !== undefined) output.note(`Without ${placeName(machine)}: ${oneLine(error)}`);
  }
}

export function running(sessions: number): string {
  return sessions === 1 ? "1 session runs" : `${sessions} sessions run`;
}
