/** A session's recording: its output with times, as an asciicast (version 2). Input is not in it. */
import { join } from "node:path";

export const CAST_TYPE = "application/x-asciicast";

/** A recording ends there; the session goes on. */
export const MAX_RECORDING_BYTES = 32 * 1024 * 1024;

export function recordingFile(directory: string): string {
  return join(directory, "recording.cast");
}
