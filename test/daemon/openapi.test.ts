import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AgentMachine, rowWith } from "./support/agent-machine.ts";
import { problems } from "./support/json-schema.ts";

interface Operation {
  responses: Record<string, { content: Record<string, { schema?: object }> }>;
  requestBody?: object;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: { Error: object } };
}

describe("every answer", () => {
  it("matches the OpenAPI document", async () => {
    const test = new AgentMachine();
    const shop = test.project("shop");
    const [key, other] = [test.old(1, "Add a health route", shop), test.old(2, "Write docs", shop)];
    await test.start();
    const document = JSON.parse((await test.ask("GET", "/v1/openapi.json")).text) as Document;
    await rowWith(test, key);
    const live = await test.launch("cat");
    const again = await test.launch("sleep 1000");
    const resumed = (await rowWith(test, other)).id;
    mkdirSync(join(test.userHome, "other"));
    const seen = new Set<string>();
    const call = async (operation: string, path: string, body?: unknown): Promise<string> => {
      const [method = "", pattern = ""] = operation.split(" ");
      const { responses } = document.paths[pattern]![method.toLowerCase()]!;
      const answer = await test.ask(method as "GET", path, body);
      const content = responses["200"]!.content;
      expect(answer.status, `${operation}: ${answer.text.slice(0, 300)}`).toBe(200);
      const { type } = answer;
      expect(Object.keys(content), operation).toContain(type);
      const { schema } = content["application/json"] ?? {};
      if (type === "application/json" && schema !== undefined)
        expect(problems(JSON.parse(answer.text), schema), operation).toEqual([]);
      seen.add(operation);
      return answer.text;
    };
    const id = (verb: string): string => `/v1/sessions/${live}/${verb}`;
    const conversation = `/v1/history/claude:${key}`;
    await call("GET /v1/health", "/v1/health");
    await call("GET /v1/capabilities", "/v1/capabilities");
    await call("GET /v1/limits", "/v1/limits");
    await call("GET /v1/openapi.json", "/v1/openapi.json");
    await call("GET /v1/sessions", "/v1/sessions");
    await call("GET /v1/sessions/{id}", `/v1/sessions/${live}`);
    await call("GET /v1/sessions/{id}/details", id("details"));
    await call("GET /v1/sessions/{id}/details", `/v1/sessions/${resumed}/details`);
    await call("GET /v1/sessions/{id}/account", id("account"));
    await call("GET /v1/sessions/{id}/text", id("text"));
    await call("GET /v1/sessions/{id}/scrollback", id("scrollback"));
    writeFileSync(join(test.home, "sessions", live, "recording.cast"), '{"version":2,"width":80,"height":24}\n');
    await call("GET /v1/sessions/{id}/cast", id("cast"));
    await call("GET /v1/sessions/{id}/transcript", `/v1/sessions/${resumed}/transcript`);
    await call("PUT /v1/sessions/{id}/status", id("status"), { label: "thinking", working: true });
    await call("PUT /v1/sessions/{id}/slug", id("slug"), { slug: "a-slug" });
    await call("PUT /v1/sessions/{id}/title", id("title"), { title: "a title" });
    await call("POST /v1/sessions/{id}/input", id("input"), Buffer.from("x\n"));
    await call("POST /v1/sessions/{id}/message", id("message"), { text: "x" });
    await call("POST /v1/sessions/{id}/clipboard", id("clipboard"), Buffer.from("x"));
    await call("POST /v1/sessions/{id}/terminals", id("terminals"), { command: ["cat"] });
    await call("DELETE /v1/sessions/{id}/terminals", id("terminals?pty=pty-2"));
    await call("POST /v1/sessions/{id}/read", id("read"));
    await call("POST /v1/sessions/{id}/snooze", id("snooze"), { seconds: 5 });
    await call("PUT /v1/sessions/{id}/status", id("status"), null);
    await call("POST /v1/sessions/{id}/restart", `/v1/sessions/${again}/restart`);
    await call("POST /v1/sessions/{id}/kill", `/v1/sessions/${again}/kill`);
    await call("POST /v1/sessions/{id}/wait", `/v1/sessions/${again}/wait`);
    await call("POST /v1/sessions/{id}/resume", `/v1/sessions/${again}/resume`);
    await call("POST /v1/sessions/{id}/dismiss", `/v1/sessions/${again}/dismiss`);
    await call("POST /v1/sessions/{id}/restore", `/v1/sessions/${again}/restore`);
    await call("POST /v1/register", "/v1/register", { session_id: live });
    await call("POST /v1/deregister", "/v1/deregister", { session_id: live });
    await call("POST /v1/launch", "/v1/launch", { command: ["cat"], cwd: "~/other" });
    await call("GET /v1/directories", "/v1/directories?prefix=~%2F");
    await call("GET /v1/attention", "/v1/attention");
    await call("GET /v1/projects", "/v1/projects");
    await call("PUT /v1/projects", "/v1/projects", {
      items: [{ slug: "shop", match: [{ path: shop }] }],
      pins: [live],
    });
    await call("GET /v1/history", "/v1/history");
    await call("GET /v1/history/search", "/v1/history/search?q=copper");
    await call("GET /v1/history/diff", `/v1/history/diff?a=claude:${key}&b=claude:${other}`);
    await call("GET /v1/history/{unifiedId}", conversation);
    for (const format of ["json", "jsonl", "markdown", "html"]) {
      await call("GET /v1/history/{unifiedId}", `${conversation}?format=${format}`);
    }
    await call("POST /v1/history/{unifiedId}/tags", `${conversation}/tags`, { add: ["harbour"] });
    const madeUp = await test.ask("POST", "/v1/history/claude:made-up/tags", { add: ["harbour"] });
    expect(madeUp.text).toContain("not_found");
    await call("POST /v1/history/{unifiedId}/restore", `${conversation}/restore`);
    await call("POST /v1/history/{unifiedId}/resume", `${conversation}/resume`);
    await call("POST /v1/history/{unifiedId}/fork", `${conversation}/fork`);
    execFileSync("git", ["init", "--quiet"], { cwd: shop, env: test.vars });
    writeFileSync(join(shop, "a.ts"), "const a = 1;\n");
    const comment = { add: { file: "a.ts", line: 1, text: "Give it a name." } };
    for (const [pattern, path] of [
      ["/v1/history/{unifiedId}", conversation],
      ["/v1/sessions/{id}", `/v1/sessions/${resumed}`],
    ] as const) {
      await call(`POST ${pattern}/review`, `${path}/review`, comment);
      await call(`GET ${pattern}/review`, `${path}/review`);
      await call(`GET ${pattern}/changes`, `${path}/changes`);
      await call(`GET ${pattern}/changes`, `${path}/changes?path=a.ts`);
      const look = { files: [{ path: "a.ts", hunks: ["0123456789abcdef"] }] };
      await call(`POST ${pattern}/changes/look`, `${path}/changes/look`, look);
      await call(`POST ${pattern}/review/send`, `${path}/review/send`, { new: "claude" });
    }
    await call("GET /v1/reviews", "/v1/reviews");
    const later = { text: "go on", when: "in 2h" };
    const agent = await test.agent(shop);
    const queues = { "/v1/sessions/{id}/queue": `/v1/sessions/${agent}/queue`, "/v1/queues": "/v1/queues" };
    for (const [pattern, path] of Object.entries(queues)) {
      const start = pattern === "/v1/queues" ? { agent: "claude", cwd: shop } : {};
      const added = await call(`POST ${pattern}`, path, { ...later, ...start });
      await call(`GET ${pattern}`, path);
      const [, item] = /"id":"(q-[^"]+)"/.exec(added) ?? [];
      await call(`PUT ${pattern}`, path, { item, paused: true });
      await call(`DELETE ${pattern}`, `${path}?item=${item}`);
    }
    const session = decodeURIComponent(conversation.slice("/v1/history/".length));
    const shared = await call("POST /v1/share-links", "/v1/share-links", { session, take_unsure: true });
    await call("GET /v1/share-links", "/v1/share-links");
    await call("DELETE /v1/share-links/{link}", `/v1/share-links/${/"id":"([^"]+)"/.exec(shared)![1]}`);
    await call("GET /v1/doctor", "/v1/doctor");
    await call("POST /v1/attention/seen", "/v1/attention/seen");
    await call("POST /v1/push-key", "/v1/push-key");
    const hook = await call("POST /v1/notify", "/v1/notify", { kind: "webhook", url: "http://127.0.0.1:1/x" });
    const [, channel] = /"id":"(webhook-[^"]+)"/.exec(hook) ?? [];
    await call("POST /v1/notify/{channel}/test", `/v1/notify/${channel}/test`);
    await call("GET /v1/notify", "/v1/notify");
    await call("DELETE /v1/notify/{channel}", `/v1/notify/${channel}`);
    await call("GET /v1/hooks", "/v1/hooks");
    await call("POST /v1/hooks/{agent}", "/v1/hooks/claude");
    await call("DELETE /v1/hooks/{agent}", "/v1/hooks/claude");
    await call("GET /v1/cost", "/v1/cost?group_by=day");
    await call("GET /v1/cost.csv", "/v1/cost.csv?group_by=day");
    await call("GET /v1/history/facets", "/v1/history/facets?q=copper");
    await call("GET /v1/history/progress", "/v1/history/progress");
    await call("GET /v1/overview", "/v1/overview?since=2026-01-01");
    await call("GET /v1/models", "/v1/models");
    await call("POST /v1/peers", "/v1/peers", { name: "box", url: "http://127.0.0.1:1", token: "0".repeat(64) });
    await call("GET /v1/fleet/history", "/v1/fleet/history");
    await call("GET /v1/fleet/search", "/v1/fleet/search?q=copper");
    await call("GET /v1/fleet/cost", "/v1/fleet/cost");
    await call("GET /v1/peers", "/v1/peers");
    await call("POST /v1/peers/{peer}/retry", "/v1/peers/box/retry");
    await call("DELETE /v1/peers/{peer}", "/v1/peers/box");
    await call("POST /v1/login-codes", "/v1/login-codes");
    await call("POST /auth/login", "/auth/login", { token: test.token });
    await call("POST /auth/logout", "/auth/logout");
    // Events never end and are tested elsewhere; an answer needs a question; kill comes last.
    const refused = await test.ask("POST", id("answer"), { answer: "" });
    expect(problems(JSON.parse(refused.text), document.components.schemas.Error)).toEqual([]);
    await call("POST /v1/shutdown", "/v1/shutdown");
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const left = described.filter((operation) => !seen.has(operation));
    expect(left.sort()).toEqual(["GET /v1/events", "POST /v1/sessions/{id}/answer"]);
  });
});
