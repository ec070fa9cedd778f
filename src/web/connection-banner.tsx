/** Shown while the daemon does not answer: what to do, and the age of the data. */
import type { JSX } from "preact";
import { connect, connection, knownAt } from "./state/projection.ts";
import { age, fullTime } from "./ui/times.ts";

export function ConnectionBanner(): JSX.Element | null {
  if (connection.value !== "lost") return null;
  const at = knownAt.value;
  return (
    <div class="lost" role="alert">
      <span>
        Cannot reach the daemon. Sessions keep running. Start it with <code>amux daemon start</code>; this page
        reconnects by itself.
        {at === "" ? null : (
          <span title={fullTime(at)}> What you see is {age(at) === "now" ? "from just now" : `${age(at)} old`}.</span>
        )}
      </span>
      <button type="button" class="small" onClick={connect}>
        Try now
      </button>
    </div>
  );
}
