import { DaemonApi } from "../../client/daemon-api.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { joinUnifiedId } from "../../core/unified-id.ts";
import { createClient } from "../../index.ts";
import { processEnv } from "../../lib/fs/paths.ts";
import { optional } from "../../lib/values/optional.ts";
import { DEFAULT_SHARE_S, MAX_SHARE_S } from "../../protocol/share-links.ts";
import { TAKE_UNSURE_OPTION } from "../archive-options.ts";
import { usageError, type Command } from "../command.ts";
import { daemonClient, ensureDaemon } from "../daemon-process.ts";
import { parseDuration } from "../durations.ts";
import { counted, duration } from "../format/figures.ts";
import { refusalOf } from "../mux/remote.ts";
import { hasMachine, resolveReference, SESSION_ARGUMENTS } from "../session-reference.ts";

const DAYS = (seconds: number): string => `${seconds / 86_400}d`;

const command: Command = {
  name: "share create",
  description:
    "Makes a link that shows one session without its secrets to whoever has the link, and nothing else. It shows the session as it is now: later messages are not added. The link is printed once; amux keeps only its hash. A session that may hold a secret no rule is sure about is refused, as by amux archive push.",
  arguments: SESSION_ARGUMENTS,
  options: [
    {
      name: "expires",
      value: "time",
      description: `how long it works: 1h, 7d, … (default ${DAYS(DEFAULT_SHARE_S)}, at most ${DAYS(MAX_SHARE_S)})`,
    },
    { ...TAKE_UNSURE_OPTION, description: "take possible secrets out too, instead of refusing" },
  ],
  examples: [
    ["amux share create claude:5cbe954d", "a link for seven days"],
    ["amux share create shop --expires 1h --json | jq -r .link", "for an hour, for a script"],
  ],
  async run(invocation) {
    const { output } = invocation;
    if (hasMachine(invocation.arguments)) {
      const { remoteReference } = await import("../peers/remote-history.ts");
      const peer = remoteReference(invocation.arguments)?.peer;
      if (peer !== undefined) throw usageError(`A link shows a session of its own machine: run amux share on ${peer}.`);
    }
    const expires = invocation.text("expires");
    const seconds = expires === undefined ? undefined : Math.round(parseDuration(expires, "--expires") / 1000);
    if (seconds !== undefined && (seconds < 60 || seconds > MAX_SHARE_S))
      throw usageError(`--expires takes 1m to ${DAYS(MAX_SHARE_S)}, not "${expires}".`);
    const { agent, sessionId } = await resolveReference(createClient(), invocation.arguments);
    const { listen, hosts: [host] = [] } = await ensureDaemon();
    if (listen === undefined) {
      throw new AgentMuxError(
        "INVALID_STATE_TRANSITION",
        "The daemon has no port: another program holds it. Choose one with amux daemon restart --listen 127.0.0.1:<port>.",
      );
    }
    output.progress("looking for secrets");
    const { secretValues } = await import("../../redaction/redactor.ts");
    const values = secretValues(processEnv().vars);
    const { path, ...made } = await new DaemonApi(daemonClient())
      .createShareLink({
        session: joinUnifiedId(agent, sessionId),
        ...optional("expires_s", seconds),
        ...(invocation.flag("take-unsure") ? { take_unsure: true } : {}),
        ...(values.length === 0 ? {} : { also_redact: values }),
      })
      .catch((error: unknown) => {
        throw refusalOf(error);
      });
    const link = `${host === undefined ? `http://${listen}` : `https://${host}`}${path}`;
    if (output.json) return output.writeJson({ ...made, link });
    await output.write(`${link}\n`);
    const left = duration(Date.parse(made.expires_at) - Date.parse(made.created_at));
    output.note(
      `${counted(made.redacted, "value")} taken out. The link works for ${left}; amux share revoke ${made.id} ends it.`,
    );
    output.note(
      host === undefined
        ? `It opens wherever ${listen} of this machine can be reached; amux open --phone says how to give it a name.`
        : `It opens wherever ${host} can be reached.`,
    );
  },
};

export default command;
