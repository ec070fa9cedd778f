import { LIVE_SESSION_ARGUMENT } from "../choose-session.ts";
import { usageError, type Command } from "../command.ts";
import { isEntryId } from "../../protocol/session-id.ts";
import { parseDuration } from "../durations.ts";
import { snoozeFile } from "../live-sessions.ts";
import { askDaemon } from "../mux/remote.ts";
import { liveSessionNamed } from "../mux/session-named.ts";

const DEFAULT_TIME = "1h";

const command: Command = {
  name: "snooze",
  description:
    "Hides a session from amux attention for a while. A new question ends the snooze. A budget, a held prompt or a conflict is named by its ref in amux attention --json. Without a session: lists snoozed sessions.",
  arguments: [
    { ...LIVE_SESSION_ARGUMENT, optional: true },
    { name: "time", description: `how long (30s, 5m, 2h; default ${DEFAULT_TIME})`, optional: true },
  ],
  options: [{ name: "off", description: "end the snooze" }],
  examples: [
    ["amux snooze shop 30m", "hide it for 30 minutes"],
    ["amux snooze shop --off", "now"],
  ],
  async run(invocation) {
    const [ref, time] = invocation.arguments;
    const { output } = invocation;
    const now = Date.now();
    const file = snoozeFile();
    if (ref === undefined) {
      const snoozed = [...file.read(now)].map(([session, { until }]) => ({
        session,
        until: new Date(until).toISOString(),
      }));
      if (output.json) return output.writeJson(snoozed);
      if (snoozed.length === 0) output.note("Nothing is snoozed.");
      return output.write(snoozed.map(({ session, until }) => `${session}  until ${until}\n`));
    }
    if (invocation.flag("off") && time !== undefined) throw usageError("Give a time or --off, not both.");
    const session = isEntryId(ref) ? { ref } : await liveSessionNamed(ref, now);
    const until = invocation.flag("off") ? undefined : now + parseDuration(time ?? DEFAULT_TIME, "amux snooze");
    if (!("peer" in session) || session.peer === undefined) file.set(session.ref, until, now);
    else {
      const body = until === undefined ? {} : { seconds: (until - now) / 1000 };
      await askDaemon("POST", `/v1/sessions/${session.ref}/snooze`, body);
    }
    if (output.json) await output.writeJson({ session: session.ref, until: until && new Date(until).toISOString() });
  },
};

export default command;
