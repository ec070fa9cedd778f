/** Routes for the user's labels of past sessions. */
import * as z from "zod/mini";
import { changeLabel } from "../../history/session-labels.ts";
import type { PathEnv } from "../../lib/fs/paths.ts";
import { referenceOf } from "./answers.ts";
import { route, type Route } from "./route.ts";

const Tags = z
  .array(z.string().check(z.regex(/^[^\s,\p{Cc}]+$/u, "has spaces or commas, or is empty"), z.maxLength(100)))
  .check(z.maxLength(50));

export function labelRoutes({ env }: { env: PathEnv }): Route[] {
  return [
    route({
      method: "POST",
      path: "/v1/history/{unifiedId}/tags",
      perMachine: true,
      summary: "Adds tags to a session and removes others; the agent's files stay as they are",
      body: z.object({ add: z.optional(Tags), remove: z.optional(Tags) }),
      answer: z.object({ tags: z.array(z.string()) }),
      run: ({ params, body: { add = [], remove = [] } }) => {
        referenceOf(params["unifiedId"]!);
        const { tags } = changeLabel(env, params["unifiedId"]!, (label) => ({
          ...label,
          tags: [...new Set([...label.tags, ...add])].filter((tag) => !remove.includes(tag)),
        }));
        return { tags };
      },
    }),
  ];
}
