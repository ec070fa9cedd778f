import type { AllQueues } from "../../protocol/queue.ts";
import type { Command } from "../command.ts";
import { queueTable } from "../format/queue-table.ts";
import { ANY_SESSION_ARGUMENT } from "../mux/choose.ts";
import { actOnSession, allQueues, NO_DAEMON } from "../mux/queues.ts";
import { isDaemonRunning } from "../mux/remote.ts";

const command: Command = {
  name: "queue list",
  description:
    "Lists the prompts of a session's queue, or of all queues of this machine and the scheduled ones. held: not sent, or unknown whether it arrived. The receipt of a delivered prompt is transcript (the agent has written it down), screen (the agent took it) or typed (a program without an input line).",
  arguments: [{ ...ANY_SESSION_ARGUMENT, optional: true }],
  examples: [
    ["amux queue list", "everything that waits"],
    ["amux queue list shop --json", "one session's queue, with receipts"],
  ],
  async run({ arguments: [session], output }) {
    const found: AllQueues =
      session === undefined
        ? await allQueues()
        : { sessions: [await actOnSession(session, { kind: "list" }, output)], scheduled: [] };
    for (const problem of found.problems ?? []) output.note(problem);
    if (output.json) return output.writeJson(found);
    const isWaiting = found.scheduled.some(({ state }) => state !== "delivered");
    if (isWaiting && !(await isDaemonRunning()))
      output.note(`${NO_DAEMON}: scheduled sessions are not started. See amux daemon start.`);
    if (found.sessions.every(({ items }) => items.length === 0) && found.scheduled.length === 0)
      return output.note("Nothing is queued. See amux queue --help.");
    await output.write(queueTable(found, output).map((line) => `${line}\n`));
  },
};

export default command;
