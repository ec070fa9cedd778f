/**
 * What a session is doing: reports as they come from hooks, the terminal or scripts, and the small `Status` shown
 * beside a dot. The states and their order are those of the status files; the wire status is always derived.
 */
import * as z from "zod/mini";

/** Most urgent first. */
export const STATES = ["permission", "waiting", "working", "error", "idle", "stopped", "done", "offline"] as const;
export type State = (typeof STATES)[number];

/** Who said it, most trusted first. `agent` is a state the program reports through the terminal (OSC 7777, 7501). */
export const SOURCES = ["hook", "agent", "transcript", "prompt", "process"] as const;
export type Source = (typeof SOURCES)[number];

const Label = z.string().check(z.maxLength(200));

export const Status = z.object({
  /** Short text, shown next to the dot. */
  label: z._default(Label, ""),
  working: z._default(z.boolean(), false),
  error: z.optional(z.boolean()),
});
export type Status = z.infer<typeof Status>;

export const StatusReport = z.object({
  state: z.enum(STATES),
  label: z.optional(Label),
  /** What the session asks or tells: the question, the permission wanted, the error. */
  message: z.optional(z.string().check(z.maxLength(2000))),
  source: z._default(z.enum(SOURCES), "hook"),
  /** ISO 8601. */
  at: z.optional(z.string().check(z.maxLength(40))),
});
export type StatusReport = z.infer<typeof StatusReport>;

/** The report behind a plain `{label, working, error}` as scripts send it. */
export function reportOf(status: Status): Omit<StatusReport, "source"> {
  const state: State = status.error === true ? "error" : status.working ? "working" : "idle";
  return status.label === "" ? { state } : { state, label: status.label };
}

/** No status is the default: a state that alive, dead or the dot already shows has none. */
export function statusOf(report: StatusReport | undefined): Status | null {
  if (report === undefined) return null;
  const label = report.label ?? "";
  switch (report.state) {
    case "working":
      return { label, working: true };
    case "permission":
      return { label: label === "" ? (report.message ?? "needs permission") : label, working: false };
    case "waiting":
      return { label: label === "" ? (report.message ?? "waiting") : label, working: false };
    case "error":
      return { label: label === "" ? (report.message ?? "error") : label, working: false, error: true };
    default:
      return label === "" ? null : { label, working: false };
  }
}
