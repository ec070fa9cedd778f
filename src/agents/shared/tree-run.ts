/** What Pi and its descendant omp share without a terminal: `-p --mode json` with the prompt on standard input. */
import type { AgentEnv } from "../adapter.ts";
import type { AskEndpoint, RunSupport } from "../run-support.ts";
import { when, withValue } from "./arguments.ts";
import { askingSource } from "./ask-program.ts";
import { treeEvents } from "./tree-events.ts";

interface TreeProgram extends Pick<RunSupport, "refusals" | "sessionVariable"> {
  /** Names the session to continue. */
  readonly resumeOption: string;
  /** Approves everything that it would ask for. */
  readonly yoloOption?: string;
  /** Tools that change no files. */
  readonly harmless: readonly string[];
  readonly guidance: string;
  credentialFiles(env: AgentEnv): string[];
}

export function treeRun(program: TreeProgram): RunSupport {
  const { resumeOption, yoloOption, harmless, guidance, credentialFiles, ...support } = program;
  const sessions = ["sessionId", "forkSessionId", "noSession"] as const;
  return {
    ...support,
    honours: ["model", "systemPrompt", "attachments", "thinkingEffort", ...sessions, "maxTurns", "yolo"],
    streamsText: true,
    approvals: true,
    gated: true,
    credentials: {
      variables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"],
      files: credentialFiles,
      guidance,
    },
    prepare(request, { now, ask, scratch }) {
      const { session, cwd, systemPrompt } = request;
      const append = systemPrompt?.mode === "replace" ? "--system-prompt" : "--append-system-prompt";
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
          ...withValue(append, systemPrompt?.text),
          ...request.attachments.map(({ path }) => `@${path}`),
        ],
        stdin: request.prompt,
        stream: treeEvents({ cwd, session, now }, guidance),
      };
    },
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
