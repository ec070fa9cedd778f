import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ConflictRadar } from "../../changes/conflict/radar.ts";
import { AgentRegistry } from "../../agents/registry.ts";
import { SessionManager } from "../../history/manager.ts";
import { answerHistory } from "../files/history-answer.ts";
import { OpenTranscripts } from "../files/open-transcripts.ts";
import { close, listenOnPort } from "../process/listeners.ts";
import { createApp } from "./app.ts";
import { Gate } from "./gate.ts";
import { historyRoutes } from "./history-routes.ts";
import { NO_PEERS } from "./testing/test-app.ts";

const TOKEN = "0123456789abcdef".repeat(4);

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), "amux-leave-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe("a client that leaves before the answer", () => {
  it("ends the work started for it", async () => {
    let begun = (): void => undefined;
    const reading = new Promise<void>((resolve) => (begun = resolve));
    let ended = (): void => undefined;
    const abandoned = new Promise<void>((resolve) => (ended = resolve));
    const files = {
      /** Like a search that takes minutes. */
      async *read(_: unknown, signal?: AbortSignal): AsyncGenerator<string> {
        const given = new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
        begun();
        await given;
        ended();
        yield "[]";
      },
    };
    const app = createApp({
      peers: NO_PEERS,
      gate: new Gate(TOKEN, ["here"]),
      routes: historyRoutes(files, {
        history: () => Promise.reject(new Error("There are none.")),
        search: () => Promise.reject(new Error()),
        cost: () => files.read(undefined),
      }),
      version: "",
      onFailure: () => undefined,
      page: () => new Response(),
      shared: () => new Response(),
    });
    const server = await listenOnPort("127.0.0.1", 0, app, () => undefined);
    onTestFinished(() => close(server));
    const { port } = server.address() as AddressInfo;
    const headers = { host: "here", authorization: `Bearer ${TOKEN}` };
    const client = request({ host: "127.0.0.1", port, path: "/v1/history/search?q=mug", headers });
    client.on("error", () => undefined).end();
    await reading;
    client.destroy();
    await abandoned;
  });

  it("is noticed by the session manager", async () => {
    const registry = new AgentRegistry();
    const env = { home: directory(), platform: "linux", vars: {} } as const;
    const manager = new SessionManager(registry, env);
    const radar = new ConflictRadar(() => Promise.reject(new Error("not asked")));
    const pieces = answerHistory(
      {
        manager,
        transcripts: new OpenTranscripts(manager),
        registry,
        env,
        lookAtProjects: async () => [],
        radar,
        searches: new Set(),
      },
      { kind: "search", query: { text: "mug" } },
      AbortSignal.abort(),
    );
    await expect(pieces.next()).rejects.toMatchObject({ code: "ABORTED" });
  });
});
