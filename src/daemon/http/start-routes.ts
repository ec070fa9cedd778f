/** Routes that start sessions: new ones, and on past conversations. */
import * as z from "zod/mini";
import { optional } from "../../lib/values/optional.ts";
import { resolveHome, type PathEnv } from "../../lib/fs/paths.ts";
import { LaunchRequest, MAX_LAUNCH_BYTES, OpenRequest, Started } from "../../protocol/daemon-api.ts";
import { completeDirectory } from "../actions/directories.ts";
import type { Launcher } from "../actions/launcher.ts";
import type { ConversationOpener } from "../actions/open-conversation.ts";
import type { Peers } from "../peers/peers.ts";
import type { SessionStore } from "../store/store.ts";
import { referenceOf } from "./answers.ts";
import { route, type Route } from "./route.ts";

export interface StartRouteParts {
  env: PathEnv;
  store: SessionStore;
  launcher: Pick<Launcher, "launch">;
  peers: Pick<Peers, "launch">;
  opener: Pick<ConversationOpener, "resume" | "fork">;
}

export function startRoutes({ env, store, launcher, peers, opener }: StartRouteParts): Route[] {
  const opening = (verb: "resume" | "fork", summary: string): Route =>
    route({
      method: "POST",
      path: `/v1/history/{unifiedId}/${verb}`,
      perMachine: true,
      summary,
      body: OpenRequest,
      answer: Started,
      run: ({ params, body: { cwd, message } }) =>
        opener[verb](referenceOf(params["unifiedId"]!), {
          ...optional("cwd", cwd === undefined ? undefined : resolveHome(env, cwd)),
          ...optional("message", message),
        }),
    });
  return [
    route({
      method: "POST",
      path: "/v1/launch",
      summary: "Starts a new session",
      body: LaunchRequest,
      maxBodyBytes: MAX_LAUNCH_BYTES,
      answer: Started,
      run: ({ body }) => (body.peer === undefined ? launcher.launch(body) : peers.launch(body)),
    }),
    route({
      method: "GET",
      path: "/v1/directories",
      perMachine: true,
      summary: "Directories with a prefix, for completion; recent ones for an empty prefix",
      query: z.object({ prefix: z.optional(z.string().check(z.maxLength(4096))) }),
      answer: z.array(z.string()),
      run: ({ query: { prefix = "" } }) => completeDirectory(env, store, prefix),
    }),
    opening("resume", "Resumes a conversation, in its session or in a new one"),
    opening("fork", "Starts a session on a copy of a conversation"),
  ];
}
