/** Machines in combined answers. */
import { oneLine } from "../../lib/text/text.ts";
import type { FleetMachine } from "../../protocol/fleet.ts";
import type { Output } from "../output.ts";

export function machineName(machine: string): string {
  return machine === "" ? "here" : oneLine(machine);
}

/** The machine of a session, or all that hold copies. */
export function machineNames(machines: readonly string[]): string {
  return machines.map(machineName).join(", ");
}

/** Machines that did not answer must be mentioned. */
export function noteMissing(output: Output, machines: readonly FleetMachine[]): void {
  for (const { machine, error } of machines) {
    if (error !== undefined) output.note(`Without ${machineName(machine)}: ${oneLine(error)}`);
  }
}

export function running(sessions: number): string {
  return sessions === 1 ? "1 session runs" : `${sessions} sessions run`;
}
