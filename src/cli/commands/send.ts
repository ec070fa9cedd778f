import { buffer as readAll } from "node:stream/consumers";
import { usageError, type Command, type Invocation } from "../command.ts";
import { chooseRunning, SESSION_ARGUMENT } from "../mux/choose.ts";
import { keyBytes } from "../mux/key-names.ts";
import { isRemoteRef, typeIntoRemote } from "../mux/remote.ts";
import { typeInto } from "../mux/type-into.ts";

const BRACKETED = ["\x1b[200~", "\x1b[201~"] as const;

const command: Command = {
  name: "send",
  summary: "Type text or keys into a session",
  description:
    "Types the text and then Enter; without text, what comes on standard input. Keys go by name: C-c, Up, Enter. The input goes to the program that runs now and to no successor, and once.",
  arguments: [SESSION_ARGUMENT, { name: "text", description: "what to type", optional: true, mayBeginWithDash: true }],
  options: [
    { name: "key", short: "k", value: "name", description: "press a key, after the text", repeatable: true },
    { name: "no-enter", description: "do not press Enter after the text" },
    { name: "paste", description: "as a paste: programs take it as one piece" },
  ],
  examples: [
    ["amux send claude 'go on, but keep the tests'", "answer an agent"],
    ["amux send build -k C-c", "interrupt"],
    ["git diff | amux send review --paste", "text from a pipe"],
  ],
  async run(invocation) {
    const ref = invocation.arguments[0] ?? "";
    if (isRemoteRef(ref)) return typeIntoRemote(ref, await bytesOf(invocation));
    const { meta } = chooseRunning(ref);
    await typeInto(meta, await bytesOf(invocation));
  },
};

export default command;

async function bytesOf(invocation: Invocation): Promise<Buffer> {
  const keys = invocation.texts("key").map(keyBytes).join("");
  const text = await textOf(invocation, keys !== "");
  if (text === undefined) return Buffer.from(keys);
  const [before, after] = invocation.flag("paste") ? BRACKETED : ["", ""];
  // A paste must not be able to end itself.
  const content = invocation.flag("paste")
    ? Buffer.from(text.toString("latin1").replaceAll(BRACKETED[1], ""), "latin1")
    : text;
  const enter = invocation.flag("no-enter") ? "" : "\r";
  return Buffer.concat([Buffer.from(before), content, Buffer.from(after + enter + keys)]);
}

/** Undefined when only keys are to be pressed. */
async function textOf(invocation: Invocation, hasKeys: boolean): Promise<Buffer | undefined> {
  const [, text] = invocation.arguments;
  if (text !== undefined) return Buffer.from(text);
  if (hasKeys) return undefined;
  if (process.stdin.isTTY) throw usageError("Name a text, a --key, or pipe something in.");
  return readAll(process.stdin);
}
