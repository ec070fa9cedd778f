/** Writes to a place that the user named: also a pipe, a link or a device, which a replaced file would destroy. */
import { writeFileSync } from "node:fs";
import { AgentMuxError } from "../core/errors.ts";
import { codeOf } from "../lib/fs/directory.ts";

export function writeTo(file: string, data: string | Uint8Array, mode = 0o666): void {
  try {
    writeFileSync(file, data, { mode });
  } catch (error) {
    throw new AgentMuxError("VALIDATION_ERROR", `${file} cannot be written (${codeOf(error)}).`, { cause: error });
  }
}
