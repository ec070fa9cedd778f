/** Converts between reports and the small `Status` on the wire. */
import { isUrgent, type State } from "../core/state.ts";
import type { Status, StatusReport } from "./status.ts";

/** The report for a plain `{label, working, error}` from a script. */
export function reportOf(status: Status): Omit<StatusReport, "source"> {
  const state: State = status.error === true ? "error" : status.working ? "working" : calmState(status.label);
  return status.label === "" ? { state } : { state, label: status.label };
}

/** A label that consists of one of these words means that the session waits for its user. */
function calmState(label: string): State {
  const word = label.toLowerCase();
  return isUrgent(word) ? (word as State) : "idle";
}

/** Null is the default: a state that the dot already shows needs no status. */
export function statusOf(report: StatusReport | undefined): Status | null {
  if (report === undefined) return null;
  const label = report.label ?? "";
  const told = label || report.message;
  switch (report.state) {
    case "working":
      return { label: told ?? "", working: true };
    case "permission":
      return { label: told ?? "needs permission", working: false };
    case "waiting":
      return { label: told ?? "waiting", working: false };
    case "error":
      return { label: told ?? "error", working: false, error: true };
    default:
      return label === "" ? null : { label, working: false };
  }
}
