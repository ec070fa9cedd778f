/** Routes for the user's labels of past sessions. */
import * as z from "zod/mini";
import type { SessionReference } from "../../core/diff.ts";
import { changeLabel } from "../../history/session-labels.ts";
import type { PathEnv } from "../../lib/fs/paths.ts";
import type { FileService } from "../files/file-service.ts";
import { Problem } from "../problem.ts";
import { referenceOf } from "./answers.ts";
import { route, type Route } from "./route.ts";

const MAX_TAGS = 50;

const Tags = z
  .array(z.string().check(z.regex(/^[^\s,\p{Cc}]+$/u, "has spaces or commas, or is empty"), z.maxLength(100)))
  .check(z.maxLength(MAX_TAGS));

export function labelRoutes({ env, files }: { env: PathEnv; files: Pick<FileService, "read"> }): Route[] {
  return [
    route({
      method: "POST",
      path: "/v1/history/{unifiedId}/tags",
      perMachine: true,
      summary: "Adds tags to a session and removes others; the agent's files stay as they are",
      body: z.object({ add: z.optional(Tags), remove: z.optional(Tags) }),
      answer: z.object({ tags: z.array(z.string()) }),
      run: async ({ params, body: { add = [], remove = [] }, signal }) => {
        const unifiedId = params["unifiedId"]!;
        const session = referenceOf(unifiedId);
        if (add.length > 0) await mustExist(files, session, signal);
        const { tags } = changeLabel(env, unifiedId, (label) => {
          const changed = [...new Set([...label.tags, ...add])].filter((tag) => !remove.includes(tag));
          if (changed.length > Math.max(MAX_TAGS, label.tags.length))
            throw new Problem("bad_request", `A session can have ${MAX_TAGS} tags. Remove some first.`);
          return { ...label, tags: changed };
        });
        return { tags };
      },
    }),
  ];
}

/** Throws if there is no such session: labels of made-up ones would fill the file, and nothing would show them. */
async function mustExist(
  files: Pick<FileService, "read">,
  session: SessionReference,
  signal: AbortSignal,
): Promise<void> {
  const facts = files.read({ kind: "transcript", session, from: 0, limit: 0, subagents: false }, signal);
  for await (const _ of facts) return;
}
