/** The whole API on top of fakes that only record calls. */
import { mkdtempSync, rmSync } from "node:fs";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { AgentRegistry } from "../../../agents/registry.ts";
import type { Health } from "../../../protocol/daemon-api.ts";
import { Answers } from "../../actions/answers.ts";
import type { SessionEnder } from "../../actions/end-sessions.ts";
import type { Launcher } from "../../actions/launcher.ts";
import type { SessionReviver } from "../../actions/session-reviver.ts";
import { RunnerCalls } from "../../actions/runner-calls.ts";
import { DaemonEvents } from "../../events/daemon-events.ts";
import type { HistoryRequest } from "../../files/history-request.ts";
import { PromptQueues } from "../../actions/prompt-queues.ts";
import { ScheduledPrompts } from "../../live/scheduled-prompts.ts";
import { Register } from "../../live/register.ts";
import { LocalRunners } from "../../live/runners.ts";
import { Projects } from "../../projects/projects.ts";
import { Problem } from "../../problem.ts";
import { SessionStore } from "../../store/store.ts";
import { createApp, type App, type AppParts } from "../app.ts";
import { Gate, type Transport } from "../gate.ts";
import { LoginCodes } from "../login-codes.ts";
import { Page } from "../page.ts";
import type { Route } from "../route.ts";
import { allRoutes } from "../routes.ts";

export const TOKEN = "0123456789abcdef".repeat(4);
export const HOST = "127.0.0.1:8790";
export const ID = "sess-abcd1234";

export const HEALTH: Health = {
  service: "amuxd",
  version: "1.2.3",
  status: "ok",
  pid: 1,
  started_at: "2026-01-01T00:00:00Z",
  hostname: "here",
  sessions: { alive: 0, dead: 0 },
};

export const NO_PEERS: AppParts["peers"] = {
  forward: (id) => Promise.reject(new Problem("not_found", `There is no session ${id}.`)),
  forwardTo: (peer) => Promise.reject(new Problem("unknown_peer", `There is no peer ${peer}.`)),
};

export interface Answer {
  status: number;
  body: { ok?: boolean; data?: unknown; error?: { code: string; message: string } };
  response: Response;
}

export class TestApp {
  readonly store = new SessionStore();
  readonly gate = new Gate(TOKEN, [HOST]);
  readonly routes: Route[];
  readonly app: App;
  /** Recorded calls of the fakes. */
  readonly done: unknown[] = [];

  /** One for a whole file is given `afterAll`. */
  constructor(afterwards: (cleanUp: () => void) => void = onTestFinished) {
    const home = mkdtempSync(join(tmpdir(), "amux-app-"));
    afterwards(() => rmSync(home, { recursive: true, force: true }));
    this.routes = this.#routesIn(home);
    const page = new Page(join(home, "web"));
    this.app = createApp({
      gate: this.gate,
      routes: this.routes,
      peers: NO_PEERS,
      version: "1.2.3",
      onFailure: (error) => {
        throw error;
      },
      page: (path, request) => page.answer(path, request),
      shared: () => new Response("shared"),
    });
  }

  async ask(method: string, path: string, init: RequestInit = {}, transport: Transport = "unix"): Promise<Answer> {
    const headers = { host: HOST, ...(init.headers as Record<string, string>) };
    const outgoing = new ServerResponse(new IncomingMessage(new Socket()));
    const response = await this.app.request(path, { ...init, method, headers }, { transport, outgoing });
    // Events never end; nobody reads them here.
    outgoing.destroy();
    const text = await response.clone().text();
    return {
      status: response.status,
      body: text.startsWith("{") ? (JSON.parse(text) as Answer["body"]) : {},
      response,
    };
  }

  #routesIn(home: string): Route[] {
    const { store, gate } = this;
    const env = { home, platform: process.platform, vars: {} };
    const sockets = new LocalRunners({ home });
    const notes = { read: () => ({}), write: () => undefined };
    const register = new Register(store, sockets, notes, { onArrival: () => undefined, onEvent: () => undefined });
    const runners = new RunnerCalls({ home }, store, notes);
    const answers = new Answers({ home }, runners);
    const started = { session_id: ID, pid: 7 };
    const note =
      <Data>(what: string, answer: Data) =>
      (...args: unknown[]): Promise<Data> => {
        this.done.push([what, ...args]);
        return Promise.resolve(answer);
      };
    const launcher = { launch: note("launch", started) } as unknown as Launcher;
    const resumes = { resume: note("resume", started), restart: note("restart", started) } as unknown as SessionReviver;
    const opener = { resume: note("open", started), fork: note("fork", started) };
    const ends = {
      kill: note("kill", undefined),
      dismiss: note("dismiss", undefined),
      restore: note("restore", undefined),
    } as unknown as SessionEnder;
    const projects = new Projects(join(home, "projects.json"), store, {
      onChange: () => undefined,
      onProblem: (_what, error) => {
        throw error;
      },
    });
    const { done } = this;
    const files = {
      async *read(request: HistoryRequest): AsyncGenerator<string> {
        done.push(["read", request]);
        yield request.kind === "limits" ? '{"standings":[],"refusals":[],"unknown":' : '{"messages":';
        yield "[]}";
      },
    };
    return allRoutes({
      server: {
        health: () => HEALTH,
        login: { get: () => Promise.resolve({}) },
        registry: new AgentRegistry(),
        events: new DaemonEvents(store),
        projects,
        attention: { list: () => [], snooze: () => undefined },
        gate,
        codes: new LoginCodes(),
        shutDown: () => void done.push(["shutDown"]),
      },
      daemon: {
        env,
        store,
        register,
        sockets,
        runners,
        resumes,
        ends,
        answers,
        launcher,
        opener,
        files,
        details: { of: note("details", { id: ID }) },
        pastes: { keep: () => "" },
        terminals: { open: note("open terminal", "pty-2"), end: note("end terminal", undefined) },
        peers: { launch: note("launch elsewhere", started) },
        budgets: { states: [] },
        attention: { seen: () => undefined },
        channels: {
          list: () => [],
          publicKey: () => "key",
          add: note("add channel", null) as never,
          remove: () => void this.done.push(["remove channel"]),
          test: note("test channel", null) as never,
        },
        queues: new PromptQueues({ home }, store, () => undefined),
        scheduled: new ScheduledPrompts({
          places: { home },
          launch: note("launch", started),
          check: () => Promise.resolve(),
          onProblem: () => undefined,
          nextReset: (agent) => ({ at: undefined, of: agent }),
          onWaiting: () => undefined,
        }),
        shares: {
          list: () => [],
          create: () => Promise.reject(new Problem("not_found", "none")),
          revoke: (id) => void done.push(["revoke", id]),
        },
        hooks: {
          list: () => Promise.resolve([]),
          install: note("install hooks", { changed: true, path: "" }),
          uninstall: note("uninstall hooks", { changed: true, path: "" }),
        },
      },
      fleet: {
        history: () => Promise.resolve(null),
        search: () => Promise.resolve(null),
        // oxlint-disable-next-line require-yield -- Refuses before its first piece.
        async *cost() {
          throw new Problem("not_found", "none");
        },
      },
      peers: {
        list: () => [],
        add: (request) => {
          throw new Problem("bad_request", request.name);
        },
        retry: (name) => {
          throw new Problem("unknown_peer", name);
        },
        remove: (name) => {
          throw new Problem("unknown_peer", name);
        },
      },
    });
  }
}

export function jsonBody(value: unknown): RequestInit {
  return { body: JSON.stringify(value), headers: { "content-type": "application/json" } };
}
