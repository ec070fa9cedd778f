/** A run that is a session's program reports its conversation and state to the session's runner. */
import { askRunner } from "../../client/runner-http.ts";
import type { RunHandle } from "../../index.ts";
import { optional } from "../../lib/values/optional.ts";
import type { StatusReport } from "../../protocol/status.ts";

/** Set for the run of `amux run -d`, and for nothing that it starts. */
export const IN_SESSION_VARIABLE = "AMUX_RUN_IN_SESSION";

const TELL_WITHIN_MS = 2000;

/** Removes the variable: what the agent starts is not this session's program. */
export function isSessionsProgram(): boolean {
  const isSet = process.env[IN_SESSION_VARIABLE] !== undefined;
  delete process.env[IN_SESSION_VARIABLE];
  return isSet && process.env["AMUX_SOCKET"] !== undefined;
}

/** Returns a function that waits until everything is sent. */
export function reportToSession(run: RunHandle): () => Promise<void> {
  let said = Promise.resolve();
  const tell = (report: Omit<StatusReport, "source">): void => {
    const session = run.sessionId;
    const { agent } = run;
    said = said.then(() => post({ agent, ...report, source: "hook", ...optional("session", session) }));
  };
  run.on("session_start", () => tell({ state: "working", event: "session_start", begins: true }));
  run.on("approval_request", ({ interactionId, action, detail }) =>
    tell({
      state: "permission",
      event: "approval_request",
      ask: interactionId,
      message: `${action}: ${detail}`.slice(0, 2000),
    }),
  );
  run.on("input_required", ({ interactionId, question }) =>
    tell({ state: "waiting", event: "input_required", ask: interactionId, message: question.slice(0, 2000) }),
  );
  run.on("approval_granted", ({ interactionId }) =>
    tell({ state: "working", event: "approval_granted", ask: interactionId }),
  );
  run.on("approval_denied", ({ interactionId }) =>
    tell({ state: "working", event: "approval_denied", ask: interactionId }),
  );
  return async () => {
    const { error, exitReason } = await run.result();
    if (error) tell({ state: "error", event: exitReason, message: error.message.slice(0, 2000) });
    else tell({ state: "done", event: exitReason });
    await said;
  };
}

/** A runner that cannot be reached does not fail the run, which is in the run index. */
async function post(report: StatusReport & { agent: string }): Promise<void> {
  const body = JSON.stringify({ ...report, at: new Date().toISOString() });
  const headers = { "content-type": "application/json" };
  await askRunner(process.env["AMUX_SOCKET"]!, {
    method: "POST",
    path: "/hook",
    body,
    headers,
    timeoutMs: TELL_WITHIN_MS,
  }).catch(() => undefined);
}
