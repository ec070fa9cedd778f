/** Routes for agents' hooks and a check of the machine. */
import * as z from "zod/mini";
import { AgentHooks, HooksChange } from "../../protocol/settings-api.ts";
import type { HookSettings } from "../actions/agent-hooks.ts";
import type { FileService } from "../files/file-service.ts";
import { streamedEnvelope } from "./answers.ts";
import { route, type Route } from "./route.ts";

export interface SettingsRouteParts {
  hooks: Pick<HookSettings, "list" | "install" | "uninstall">;
  files: Pick<FileService, "read">;
}

export function settingsRoutes({ hooks, files }: SettingsRouteParts): Route[] {
  return [
    route({
      method: "GET",
      path: "/v1/hooks",
      perMachine: true,
      summary: "Whether amux's hooks are in each agent's settings",
      answer: z.array(AgentHooks),
      run: () => hooks.list(),
    }),
    route({
      method: "POST",
      path: "/v1/hooks/{agent}",
      perMachine: true,
      summary: "Adds amux's hooks to an agent's settings",
      answer: HooksChange,
      run: ({ params }) => hooks.install(params["agent"]!),
    }),
    route({
      method: "DELETE",
      path: "/v1/hooks/{agent}",
      perMachine: true,
      summary: "Removes amux's hooks from an agent's settings",
      answer: HooksChange,
      run: ({ params }) => hooks.uninstall(params["agent"]!),
    }),
    route({
      method: "GET",
      path: "/v1/doctor",
      perMachine: true,
      summary: "Reads every session: what is installed, what was found where, what was skipped and why",
      answer: z.object({
        reports: z.array(z.looseObject({ agent: z.string(), installed: z.boolean(), sessions: z.number() })),
        refused: z.array(z.string()),
        damagedReviews: z.array(z.object({ path: z.string(), reason: z.string() })),
      }),
      run: ({ signal }) => streamedEnvelope(files.read({ kind: "doctor" }, signal)),
    }),
  ];
}
