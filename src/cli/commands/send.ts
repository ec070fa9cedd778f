import { buffer as readAll } from "node:stream/consumers";
import { randomUUID } from "node:crypto";
import { sendMessage } from "../../client/send-to-session.ts";
import type { Receipt } from "../../protocol/daemon-api.ts";
import { sessionFiles } from "../../protocol/session-files.ts";
import { usageError, type Command, type Invocation } from "../command.ts";
import { chooseRunning, findSession, SESSION_ARGUMENT } from "../mux/choose.ts";
import { keyBytes } from "../mux/key-names.ts";
import { sessionDirectories } from "../mux/session-directories.ts";
import { isRemoteRef, messageRemote, typeIntoRemote } from "../mux/remote.ts";
import { liveSessionNamed } from "../mux/session-named.ts";
import { isTmuxSession } from "../mux/tmux-sessions.ts";
import { typeInto, type Typed } from "../mux/type-into.ts";
import type { Output } from "../output.ts";

const NOT_TAKEN = 1;

const BRACKETED = ["\x1b[200~", "\x1b[201~"] as const;

const command: Command = {
  name: "send",
  description:
    "Sends the text, then Enter. Without text it sends standard input. While the session asks a question, nothing is typed: use amux answer.\nThe receipt is delivered, queued (the agent takes it after its turn) or not_taken (exit code 1). Keys have names (C-c, Up, Enter). Keys and --raw input are always typed as they are. A message is sent once, and only to the program that runs now. An agent in tmux takes messages too, by its full name.",
  arguments: [SESSION_ARGUMENT, { name: "text", description: "what to send", optional: true, mayBeginWithDash: true }],
  options: [
    { name: "key", short: "k", value: "name", description: "press a key after the text", repeatable: true },
    { name: "raw", description: "type the bytes as they are, without Enter, whatever the screen shows" },
    { name: "no-enter", description: "do not press Enter after the text" },
    {
      name: "paste",
      description: "with --raw, --no-enter or keys: send as a bracketed paste",
    },
    { name: "force", description: "type even while the session asks a question; Enter may answer it" },
  ],
  examples: [
    ["amux send claude 'go on, but keep the tests'", "send an agent a message"],
    ["amux send build -k C-c", "interrupt"],
    ["git diff | amux send review", "text from a pipe"],
  ],
  async run(invocation) {
    const ref = invocation.arguments[0] ?? "";
    const { output } = invocation;
    const keys = invocation.texts("key").map(keyBytes).join("");
    const text = await textOf(invocation, keys !== "");
    const isMessage = text !== undefined && keys === "" && !invocation.flag("raw") && !invocation.flag("no-enter");
    if (!isMessage) {
      if (text !== undefined) await type(ref, { bytes: textBytes(invocation, text) });
      return keys === "" ? undefined : type(ref, { bytes: Buffer.from(keys), isKeys: true });
    }
    const receipt = await send(ref, text.toString("utf8"), invocation.flag("force"));
    if (output.json) await output.writeJson(receipt);
    else tell(receipt, output);
    return receipt.confirmed ? 0 : NOT_TAKEN;
  },
};

export default command;

/** Unchanged, and without Enter if keys follow. */
function textBytes(invocation: Invocation, text: Buffer): Buffer {
  const hasEnter = !invocation.flag("raw") && !invocation.flag("no-enter");
  const [before, after] = invocation.flag("paste") ? BRACKETED : ["", ""];
  // A paste must not be able to end itself.
  const bytes = invocation.flag("paste")
    ? text.toString("latin1").replaceAll(BRACKETED[1], "")
    : text.toString("latin1");
  return Buffer.from(`${before}${bytes}${after}${hasEnter ? "\r" : ""}`, "latin1");
}

async function type(ref: string, typed: Typed): Promise<void> {
  if (isRemoteRef(ref)) return typeIntoRemote(ref, typed);
  await typeInto(chooseRunning(ref).meta, typed);
}

async function send(ref: string, text: string, force: boolean): Promise<Receipt & { session: string }> {
  if (isRemoteRef(ref)) return messageRemote(ref, text, force);
  if (isTmuxSession(ref) && findSession(ref) === undefined) {
    const { messageSession } = await import("../message-session.ts");
    const session = await liveSessionNamed(ref);
    return { session: session.ref, ...(await messageSession(session, text, force)) };
  }
  const { id, incarnation } = chooseRunning(ref).meta;
  const { socket } = sessionFiles(sessionDirectories(), id);
  return { session: id, ...(await sendMessage(socket, text, { force, incarnation, id: randomUUID() })) };
}

function tell({ receipt, state }: Receipt, output: Output): void {
  if (receipt === "queued") output.note("Queued: the agent reads it when its turn ends.");
  if (receipt === "not_taken") {
    output.note(`Typed, but the session did not visibly accept it. It is ${state ?? "unknown"}. See amux capture.`);
  }
}

/** Undefined if only keys are sent. */
async function textOf(invocation: Invocation, hasKeys: boolean): Promise<Buffer | undefined> {
  const [, text] = invocation.arguments;
  if (text !== undefined) return Buffer.from(text);
  if (hasKeys) return undefined;
  if (process.stdin.isTTY) throw usageError("Give a text, a --key, or pipe something in.");
  return readAll(process.stdin);
}
