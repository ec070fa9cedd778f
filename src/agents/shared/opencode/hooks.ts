/** The plug-in: a file in its plug-in folder or, for one start, added to its settings by a variable. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { HookProgram } from "../../../core/hooks.ts";
import { configHome } from "../../../lib/fs/paths.ts";
import { programIndex } from "../hook-command.ts";
import { senderSource } from "../hook-sender.ts";
import type { StatusHooks } from "../../status-hooks.ts";
import { contentVariable, settingsWithPlugin } from "./plugin-settings.ts";
import { type Product, variable } from "./product.ts";

const FILE = "amux-status.js";

export function hooksOf(product: Product): StatusHooks {
  const { name } = product;
  return {
    target(env, program) {
      const folder = env.vars[variable(product, "CONFIG_DIR")] || join(configHome(env), name);
      return { kind: "file", path: join(folder, "plugins", FILE), content: pluginSource(name, program) };
    },
    launch(argv, { env, program, directory }) {
      if (programIndex(argv, name) === -1) return undefined;
      const path = join(directory, FILE);
      const settings = settingsWithPlugin(product, env, () => pathToFileURL(path).href);
      if (settings === undefined) return undefined;
      return {
        argv: [...argv],
        env: { [contentVariable(product)]: settings },
        files: [{ path, content: pluginSource(name, program) }],
      };
    },
  };
}

const EVENTS = [
  "session.created",
  "session.status",
  "session.idle",
  "session.error",
  "permission.asked",
  "permission.updated",
  "permission.replied",
  "question.asked",
  "question.replied",
  "question.rejected",
];

function pluginSource(name: string, program: HookProgram): string {
  return `${senderSource(program, name)}
const wanted = new Set(${JSON.stringify(EVENTS)});
const parents = new Map();
let last = "";

function tell(type, properties) {
  const info = properties?.info;
  const session = properties?.sessionID ?? info?.id;
  if (info?.parentID) parents.set(session, info.parentID);
  const parent = parents.get(session);
  // Sub-agents are not sessions of the user.
  if (type === "session.created" && parent) return;
  const payload = { type, properties, parent };
  const text = JSON.stringify(payload);
  // OpenCode repeats the busy status with every step.
  if (text === last) return;
  last = text;
  send(payload);
}

export const AmuxStatus = async ({ directory } = {}) => ({
  event: async ({ event }) => {
    if (event?.properties?.info?.parentID) parents.set(event.properties.info.id, event.properties.info.parentID);
    if (wanted.has(event?.type)) tell(event.type, event.properties);
    if (event?.type === "server.instance.disposed") sendNow({ type: event.type, properties: {}, cwd: directory });
  },
  "chat.message": async (input, output) => {
    const text = output?.parts?.find?.((part) => part?.type === "text" && !part.synthetic)?.text;
    tell("chat.message", { sessionID: input?.sessionID, messageID: output?.message?.id, text });
  },
  "tool.execute.after": async (input) => {
    tell("tool.execute.after", { sessionID: input?.sessionID, tool: input?.tool, callID: input?.callID });
  },
});
`;
}
