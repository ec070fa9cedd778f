/** The command line that Pi and its descendant omp share: `-p --mode json` with the prompt on standard input. */
import type { AskEndpoint, PreparedRun, RunContext, RunRequest } from "../run-support.ts";
import { when, withValue } from "./arguments.ts";
import { askingSource } from "./ask-program.ts";
import { treeEvents } from "./tree-events.ts";

interface TreeProgram {
  /** Names the session to continue. */
  readonly resumeOption: string;
  /** Approves everything that it would ask for. */
  readonly yoloOption?: string;
  /** Tools that change nothing. */
  readonly harmless: readonly string[];
  readonly guidance: string;
}

export function prepareTreeRun(
  request: RunRequest,
  { now, ask, scratch }: RunContext,
  { resumeOption, yoloOption, harmless, guidance }: TreeProgram,
): PreparedRun {
  const { session, cwd, systemPrompt } = request;
  return {
    args: [
      "-p",
      "--mode",
      "json",
      ...withValue("-e", ask && scratch("gate.ts", gateExtension(ask, harmless))),
      ...withValue("--model", request.model),
      ...withValue("--thinking", request.thinkingEffort),
      ...withValue(resumeOption, session.kind === "resume" ? session.id : undefined),
      ...withValue("--fork", session.kind === "fork" ? (session.copy?.file ?? session.id) : undefined),
      ...when(session.kind === "none", "--no-session"),
      ...(yoloOption === undefined ? [] : when(request.approvalMode === "yolo", yoloOption)),
      ...withValue(systemPrompt?.mode === "replace" ? "--system-prompt" : "--append-system-prompt", systemPrompt?.text),
      ...request.attachments.map(({ path }) => `@${path}`),
    ],
    stdin: request.prompt,
    stream: treeEvents({ cwd, session, now }, guidance),
  };
}

/** The extension by which Pi and omp ask before they run a tool. `harmless` are the tools that change nothing. */
function gateExtension(place: AskEndpoint, harmless: readonly string[]): string {
  return `${askingSource(place)}
const harmless = new Set(${JSON.stringify(harmless)});

export default function (agent) {
  agent.on("tool_call", async (event) => {
    if (harmless.has(event.toolName)) return undefined;
    const { approved, reason } = await ask(event.toolName, event.input);
    return approved ? undefined : { block: true, reason };
  });
}
`;
}
