/** Sends a message to a session, wherever it runs. */
import { sendMessage as messageRunner } from "../client/send-to-session.ts";
import { optional } from "../lib/values/optional.ts";
import type { Receipt } from "../protocol/daemon-api.ts";
import { sessionFiles } from "../protocol/session-files.ts";
import { sendMessage } from "../status/deliver.ts";
import type { SessionView } from "../status/session-view.ts";
import { askDaemon } from "./mux/remote.ts";
import { sessionDirectories } from "./mux/session-directories.ts";
import { tmuxPort } from "./tmux-port.ts";

export async function messageSession(session: SessionView, text: string, force = false): Promise<Receipt> {
  if (session.peer !== undefined) return askDaemon("POST", `/v1/sessions/${session.ref}/message`, { text });
  if (session.place !== "tmux") {
    return messageRunner(sessionFiles(sessionDirectories(), session.ref).socket, text, { force });
  }
  const port = tmuxPort(session);
  const receipt = await sendMessage(port, text, force);
  const state = (await port.standing())?.state;
  return { via: "typed", receipt, confirmed: receipt !== "not_taken", ...optional("state", state) };
}
