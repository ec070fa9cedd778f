import { askRunner } from "../../client/runner-http.ts";
import { sessionName } from "../../client/session-name.ts";
import { writeFileAtomic } from "../../lib/atomic-file.ts";
import type { SessionMeta } from "../../protocol/runner-api.ts";
import { sessionFiles } from "../../protocol/session-files.ts";
import { sessionTitle } from "../../protocol/session-title.ts";
import type { Command } from "../command.ts";
import { chooseSession, SESSION_ARGUMENT } from "../mux/choose.ts";
import { askDaemon, chooseRemote, isRemoteRef } from "../mux/remote.ts";
import { sessionPlaces } from "../mux/places.ts";

const command: Command = {
  name: "rename",
  summary: "Give a session a name",
  description: "The name wins over every title. An empty one takes it back.",
  arguments: [SESSION_ARGUMENT, { name: "name", description: "what to call it" }],
  examples: [["amux rename sess-4k2m 'the release build'", "easier to find"]],
  async run({ arguments: [ref = "", text = ""], output }) {
    const name = sessionName(text);
    if (isRemoteRef(ref)) {
      const { id } = await chooseRemote(ref);
      await askDaemon("PUT", `/v1/sessions/${id}/title`, { title: name });
      return output.json ? output.writeJson({ id, name }) : undefined;
    }
    const { meta, alive } = chooseSession(ref);
    const { socket, meta: path } = sessionFiles(sessionPlaces(), meta.id);
    // A running session's file has one writer, its runner.
    if (alive) await askRunner(socket, { method: "PUT", path: "/title", body: name });
    else writeFileAtomic(path, `${JSON.stringify(renamed(meta, name), undefined, 2)}\n`);
    if (output.json) await output.writeJson({ id: meta.id, name });
  },
};

export default command;

/** As its runner would have said it. */
function renamed({ name: _old, ...meta }: SessionMeta, name: string): SessionMeta {
  const named = name === "" ? meta : { ...meta, name };
  return { ...named, title: sessionTitle(named) };
}
