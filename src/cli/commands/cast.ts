import { AgentMuxError } from "../../core/errors.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { readText } from "../../lib/fs/foreign-file.ts";
import { processEnv } from "../../lib/fs/paths.ts";
import { castLines, parseCast, type Cast } from "../../protocol/cast.ts";
import { MAX_RECORDING_BYTES, recordingFile } from "../../protocol/recording.ts";
import { sessionFiles } from "../../protocol/session-files.ts";
import { usageError, type Command } from "../command.ts";
import { counted, duration } from "../format/figures.ts";
import { ANY_SESSION_ARGUMENT, chooseSession } from "../mux/choose.ts";
import { isRemoteRef } from "../mux/remote.ts";
import { sessionDirectories } from "../mux/session-directories.ts";
import { writeTo } from "../write-to.ts";
import { REDACT_OPTIONS, refuseIdleUnsure } from "../redact-option.ts";

const command: Command = {
  name: "cast",
  description:
    "Writes the recording of a session that was started with amux run --record as an asciicast (version 2), which asciinema and many players play. It has what the program showed, with times and sizes, and not what was typed. --json prints facts about it and needs -o.",
  arguments: [ANY_SESSION_ARGUMENT],
  options: [
    { name: "output", short: "o", value: "file", description: "write to this file instead of standard output" },
    ...REDACT_OPTIONS,
  ],
  examples: [
    ["amux cast build -o build.cast", "then: asciinema play build.cast"],
    ["amux cast build --redact > to-send.cast", "without its secrets"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const path = invocation.text("output");
    refuseIdleUnsure(invocation);
    if (output.json && path === undefined)
      throw usageError("--json prints facts about the recording: give it a file with -o.");
    const ref = invocation.arguments[0] ?? "";
    if (isRemoteRef(ref)) throw usageError("A recording stays on its machine: run amux cast there.");
    const { id } = chooseSession(ref).meta;
    const recorded = recordingOf(id);
    const { cast, redacted } = invocation.flag("redact")
      ? await withoutSecrets(recorded, invocation.flag("take-unsure"))
      : { cast: recorded, redacted: undefined };
    if (path === undefined) await output.write(castLines(cast));
    else writeTo(path, [...castLines(cast)].join(""), 0o600);
    const seconds = cast.events.at(-1)?.at ?? 0;
    const taken = redacted === undefined ? {} : { redacted };
    if (output.json) return output.writeJson({ id, path, seconds, events: cast.events.length, ...taken });
    if (path !== undefined)
      output.note(`${path}: ${duration(seconds * 1000)}, ${counted(cast.events.length, "event")}.`);
    if (redacted !== undefined) output.note(`${counted(redacted, "value")} taken out.`);
  },
};

export default command;

function recordingOf(id: string): Cast {
  const path = recordingFile(sessionFiles(sessionDirectories(), id).directory);
  let text: string;
  try {
    text = readText(path, 2 * MAX_RECORDING_BYTES);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    throw new AgentMuxError(
      "INVALID_STATE_TRANSITION",
      `${id} was not recorded. Only a session started with amux run --record is; amux capture writes its screen.`,
      { cause: error },
    );
  }
  const cast = parseCast(text);
  if (cast === undefined) throw new AgentMuxError("PARSE_ERROR", `${path} is not a recording.`);
  return cast;
}

async function withoutSecrets(cast: Cast, takeUnsure: boolean): Promise<{ cast: Cast; redacted: number }> {
  const [{ readRules }, { redactCast }] = await Promise.all([
    import("../../redaction/user-rules.ts"),
    import("../../redaction/redact-cast.ts"),
  ]);
  return redactCast(cast, readRules(processEnv()).redactor, takeUnsure);
}
