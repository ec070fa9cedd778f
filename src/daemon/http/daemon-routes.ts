/** Routes of the daemon itself: health, abilities, events, login, shutdown. */
import * as z from "zod/mini";
import type { AgentRegistry } from "../../agents/registry.ts";
import type { StartOptions } from "../../agents/start-options.ts";
import { PERMISSION_MODES } from "../../core/permission-mode.ts";
import { findOnPath } from "../../lib/process/find-on-path.ts";
import { optional } from "../../lib/values/optional.ts";
import { AttentionItem, Capabilities, Health, SnoozeRequest } from "../../protocol/daemon-api.ts";
import { ProjectList, ProjectsAnswer } from "../../protocol/projects.ts";
import type { LoginEnvironment } from "../actions/login-environment.ts";
import type { DaemonEvents } from "../events/daemon-events.ts";
import type { Attention } from "../live/attention.ts";
import { Problem } from "../problem.ts";
import type { Projects } from "../projects/projects.ts";
import { StreamedAnswer, Flag } from "./answers.ts";
import { TOKEN_COOKIE, type Gate } from "./gate.ts";
import type { LoginCodes } from "./login-codes.ts";
import { route, type Route } from "./route.ts";

const MAX_PROJECTS_BYTES = 1024 * 1024;
const COOKIE_SECONDS = 90 * 86_400;

export interface DaemonRouteParts {
  health(): Health;
  /** The environment of launches: only programs found there can be launched. */
  login: Pick<LoginEnvironment, "get">;
  registry: AgentRegistry;
  events: DaemonEvents;
  projects: Projects;
  attention: Pick<Attention, "list" | "snooze">;
  gate: Gate;
  codes: LoginCodes;
  shutDown(): void;
}

export function daemonRoutes(parts: DaemonRouteParts): Route[] {
  return [...stateRoutes(parts), ...loginRoutes(parts)];
}

function stateRoutes(parts: DaemonRouteParts): Route[] {
  const { health, login, registry, events, projects, attention, shutDown } = parts;
  return [
    route({ method: "GET", path: "/v1/health", summary: "The daemon's health", answer: Health, run: () => health() }),
    route({
      method: "GET",
      path: "/v1/capabilities",
      perMachine: true,
      summary: "What can be launched, and how to reach terminals",
      answer: Capabilities,
      run: async () => capabilitiesOf(registry, await login.get()),
    }),
    route({
      method: "GET",
      path: "/v1/events",
      summary: "Server-sent events: the current state, then every change",
      query: z.object({
        last_event_id: z.optional(z.string().check(z.maxLength(64))),
        /** Local sessions only, for a peer. */
        own: z.optional(Flag),
      }),
      answer: { contentType: "text/event-stream" },
      run: ({ request, query }) => {
        const lastEventId = request.headers.get("last-event-id") ?? query.last_event_id;
        return new StreamedAnswer("text/event-stream", (connection) => {
          if (query.own === true) events.openOwn(connection, lastEventId);
          else events.open(connection, lastEventId);
        });
      },
    }),
    route({
      method: "GET",
      path: "/v1/projects",
      summary: "The user's projects and pins, and directories without a project",
      answer: ProjectsAnswer,
      run: () => projects.answer(),
    }),
    route({
      method: "PUT",
      path: "/v1/projects",
      summary: "Replaces projects and pins",
      body: ProjectList,
      maxBodyBytes: MAX_PROJECTS_BYTES,
      answer: ProjectsAnswer,
      run: ({ body }) => {
        projects.replace(body);
        return projects.answer();
      },
    }),
    route({
      method: "GET",
      path: "/v1/attention",
      summary: "Sessions that wait for the user, most urgent first",
      answer: z.array(AttentionItem),
      run: () => attention.list(),
    }),
    route({
      method: "POST",
      path: "/v1/sessions/{id}/snooze",
      summary: "Snoozes a session; without a time, ends the snooze",
      body: SnoozeRequest,
      answer: z.null(),
      run: ({ params, body }) => attention.snooze(params["id"]!, body.seconds),
    }),
    route({
      method: "POST",
      path: "/v1/shutdown",
      summary: "Ends the daemon; sessions keep running",
      answer: z.null(),
      localOnly: true,
      run: () => {
        shutDown();
      },
    }),
  ];
}

function loginRoutes({ gate, codes }: DaemonRouteParts): Route[] {
  return [
    route({
      method: "POST",
      path: "/v1/login-codes",
      summary: "A code that logs one browser in",
      answer: z.object({ code: z.string(), expires_at: z.string() }),
      localOnly: true,
      run: () => codes.create(),
    }),
    route({
      method: "POST",
      path: "/auth/login",
      summary: "Logs a browser in with the token or a code",
      body: z.object({ token: z.optional(z.string()), code: z.optional(z.string()) }),
      answer: z.null(),
      run: ({ body: { token, code } }) => {
        const isKnown = token === undefined ? code !== undefined && codes.redeem(code) : gate.isToken(token);
        if (!isKnown)
          throw new Problem(
            "unauthorized",
            "Wrong token, or a sign-in link that has expired or was already used. Run amux open for a new link.",
          );
        return withCookie(`${gate.cookie}; Max-Age=${COOKIE_SECONDS}`);
      },
    }),
    route({
      method: "POST",
      path: "/auth/logout",
      summary: "Removes the browser's cookie",
      answer: z.null(),
      run: () => withCookie("; Max-Age=0"),
    }),
  ];
}

function withCookie(value: string): Response {
  return new Response('{"ok":true,"data":null}', {
    headers: {
      "content-type": "application/json",
      "set-cookie": `${TOKEN_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Strict`,
    },
  });
}

function startOf({ prompt, modes = {}, vendor }: StartOptions): Capabilities["agents"][number]["start"] {
  const named = PERMISSION_MODES.filter((mode) => modes[mode] !== undefined);
  return { prompt: prompt !== undefined, modes: named, ...optional("vendor", vendor) };
}

async function capabilitiesOf(registry: AgentRegistry, vars: Readonly<Record<string, string>>): Promise<Capabilities> {
  const adapters = await Promise.all(registry.names().map((name) => registry.get(name)));
  return {
    agents: adapters.map(({ name, displayName, isExperimental, command, capabilities, launch }) => ({
      name,
      display_name: displayName,
      ...optional("experimental", isExperimental),
      installed: findOnPath(command, vars) !== undefined,
      can_resume: capabilities.canResume,
      can_fork: capabilities.canFork,
      can_fork_at: (launch?.forkAt ?? launch?.forkByAsking) !== undefined,
      ...optional("why_no_fork_at", launch?.whyNoForkAt),
      ...optional("start", launch?.start && startOf(launch.start)),
    })),
    transport: { kind: "websocket", replay: true },
    ...optional("home", vars["HOME"]),
  };
}
