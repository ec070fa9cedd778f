import { NotifyApi } from "../../client/notify-api.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { readText } from "../../lib/fs/foreign-file.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { optional } from "../../lib/values/optional.ts";
import { AddChannelRequest } from "../../protocol/notify.ts";
import { usageError, type Command } from "../command.ts";
import { daemonClient, ensureDaemon } from "../daemon-process.ts";
import { refusalOf } from "../mux/remote.ts";

const command: Command = {
  name: "notify add",
  description:
    "Notifies you through an ntfy topic or a webhook when a session needs you, and withdraws it when somebody answers. The service gets the session's name, the reason and, unless --no-text, the text of a question (up to 300 characters). It can read them. A webhook's messages are signed (Standard Webhooks); the secret is printed once. Plain http works in private networks only.\nA phone or a browser adds itself: Settings, Notifications in the page.",
  arguments: [
    { name: "kind", description: "ntfy or webhook", completes: ["ntfy", "webhook"] },
    { name: "address", description: "https://ntfy.example/<topic>, or the webhook's address" },
  ],
  options: [
    { name: "no-text", description: "send names and reasons only" },
    { name: "token-file", value: "file", description: "a file with an access token for the ntfy server" },
  ],
  examples: [
    ["amux notify add ntfy https://ntfy.example/a-name-nobody-guesses", "a topic that your phone follows"],
    ["amux notify add webhook http://127.0.0.1:9000/amux --no-text", "a program of yours, without questions"],
  ],
  async run(invocation) {
    const [kind, url] = invocation.arguments;
    const { output } = invocation;
    const file = invocation.text("token-file");
    const request = AddChannelRequest.safeParse({
      kind,
      url,
      text: !invocation.flag("no-text"),
      ...optional("token", file === undefined ? undefined : tokenIn(file)),
    });
    if (!request.success || request.data.kind === "push")
      throw usageError("amux notify add takes ntfy or webhook, and an address.");
    await ensureDaemon();
    const added = await new NotifyApi(daemonClient()).add(request.data).catch((error: unknown) => {
      throw refusalOf(error);
    });
    if (output.json) return output.writeJson(added);
    const { id, service, text, secret } = added;
    const what = text ? "names, reasons and questions" : "names and reasons";
    await output.write(`${id}: ${service} gets ${what}. amux notify test ${id} tries it.\n`);
    if (secret !== undefined) await output.write(`The secret of its signatures, shown only now: ${secret}\n`);
  },
};

export default command;

function tokenIn(file: string): string {
  try {
    return readText(file).trim();
  } catch (error) {
    throw new AgentMuxError("CONFIG_ERROR", `The token cannot be read: ${errorText(error)}`, { cause: error });
  }
}
