/** `--redact`: a session without its secrets, by the rules of `amux archive push`. */
import type { SessionView } from "../history/session-view.ts";
import { processEnv } from "../lib/fs/paths.ts";
import { TAKE_UNSURE_OPTION } from "./archive-options.ts";
import { usageError, type Invocation, type OptionSpec } from "./command.ts";
import { counted } from "./format/figures.ts";
import type { Output } from "./output.ts";

export const REDACT_OPTIONS: readonly OptionSpec[] = [
  {
    name: "redact",
    description: "take secrets out, by the rules of amux archive push; a doubtful session is refused",
  },
  { ...TAKE_UNSURE_OPTION, description: "with --redact: take possible secrets out too, instead of refusing" },
];

export async function redactedIfAsked(invocation: Invocation, view: SessionView): Promise<SessionView> {
  if (!invocation.flag("redact")) return view;
  // The rules take a while to load.
  const [{ readRules }, { redactedView }] = await Promise.all([
    import("../redaction/user-rules.ts"),
    import("../redaction/redacted-view.ts"),
  ]);
  return redactedView(view, readRules(processEnv()).redactor, {
    takeUnsure: invocation.flag("take-unsure"),
    raw: invocation.flag("raw"),
    onProgress: (done) => invocation.output.progress(`looking for secrets: ${counted(done, "message")}`),
  });
}

export function noteRedacted(output: Output, { summary }: SessionView): void {
  if (summary.redacted !== undefined) output.note(`${counted(summary.redacted, "value")} taken out.`);
}

export function refuseIdleUnsure(invocation: Invocation): void {
  if (invocation.flag("take-unsure") && !invocation.flag("redact")) {
    throw usageError("--take-unsure is for --redact; add it, or leave --take-unsure out.");
  }
}

/** An older amux over there would ignore the wish. */
export function refuseRemoteRedaction(invocation: Invocation, peer: string): void {
  if (!invocation.flag("redact")) return;
  throw usageError(`A session is redacted on its own machine: run amux sessions export --redact on ${peer}.`);
}
