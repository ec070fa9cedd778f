import { beforeEach, describe, expect, it } from "vitest";
import { MuxSession } from "../../protocol/mux-session.ts";
import { PARAMETERS } from "./route.ts";
import { HEALTH, HOST, ID, jsonBody, TestApp, TOKEN, type Answer } from "./testing/test-app.ts";

let test: TestApp;
beforeEach(() => {
  test = new TestApp();
});

const ask: TestApp["ask"] = (...call) => test.ask(...call);

describe("the HTTP API", () => {
  it("answers in one envelope", async () => {
    expect((await ask("GET", "/v1/health")).body).toEqual({ ok: true, data: HEALTH });
    expect(await ask("GET", `/v1/sessions/${ID}`)).toMatchObject({
      status: 404,
      body: { ok: false, error: { code: "not_found", message: `There is no session ${ID}.` } },
    });
    expect(await ask("GET", "/v1/nothing")).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
    expect(await ask("DELETE", "/v1/sessions")).toMatchObject({
      status: 405,
      body: { error: { message: "/v1/sessions takes GET." } },
    });
  });

  it("lists sessions as published, without internal fields", async () => {
    test.store.upsert("runner", ID, {
      created_at: "2026-01-01T00:00:00Z",
      kind: "shell",
      cwd: "/w",
      command: ["sh"],
      alive: true,
      shell_title: "a title",
      binary_hash: "x",
      incarnation: "i",
    });
    const { body } = await ask("GET", "/v1/sessions");
    expect(body.data).toEqual([test.store.get(ID)]);
    for (const field of ["shell_title", "adapter_title", "binary_hash", "incarnation", "name", "resume_command"]) {
      expect(body.data).not.toEqual([expect.objectContaining({ [field]: expect.anything() as unknown })]);
    }
    expect((body.data as MuxSession[]).map((session) => MuxSession.parse(session))).toEqual(body.data);
  });

  it("never lets a malformed id near a path, a socket or a store", async () => {
    const bad = [
      "..",
      "%2e%2e",
      "..%2f..%2fetc",
      "sess-ABCD1234",
      "sess-abcd123",
      "sess-abcd12345",
      "sess-abcd1234%00",
      "a%2fb",
      "sess-abcd1234@",
      "sess-abcd1234@..",
      "%0d%0a",
      "<script>",
    ];
    for (const { method, path } of test.routes) {
      // An agent's name is only looked up among the known ones.
      if (!path.includes("{") || path.includes("{agent}")) continue;
      for (const id of bad) {
        const answer = await ask(method, path.replace(/\{\w+\}/, id), method === "PUT" ? jsonBody({}) : {});
        expect([400, 404, 405], `${method} ${path} with ${id}`).toContain(answer.status);
      }
    }
    expect(test.done).toEqual([]);
    expect(PARAMETERS["unifiedId"]!.isValid("claude:../../x\u0000")).toBe(false);
  });

  it("passes on each request once", async () => {
    await ask("POST", `/v1/sessions/${ID}/resume`);
    await ask("POST", "/v1/launch", jsonBody({ command: ["sh"], cwd: "~" }));
    await ask("POST", `/v1/sessions/${ID}/dismiss`);
    expect(test.done).toEqual([
      ["resume", ID],
      ["launch", { command: ["sh"], cwd: "~" }],
      ["dismiss", ID],
    ]);
  });

  it("changes nothing on GET", async () => {
    for (const { method, path } of test.routes) {
      if (method !== "POST" || test.routes.some((other) => other.method === "GET" && other.path === path)) continue;
      const { status } = await ask("GET", path.replace("{id}", ID));
      expect([404, 405], path).toContain(status);
    }
    expect(test.done).toEqual([]);
  });

  it.each([
    ["a body that is not JSON", "{", "application/json", 400],
    ["a field of the wrong type", '{"command":"rm -rf /"}', "application/json", 400],
    ["a variable's name that is none", '{"env":{"A=B":"x"}}', "application/json", 400],
    ["a word that ends before its end", '{"command":["sh","-c","a\\u0000b"]}', "application/json", 400],
    ["a variable that ends before its end", '{"env":{"A":"a\\u0000b"}}', "application/json", 400],
    ["a command without a program", '{"command":["","x"]}', "application/json", 400],
    ["a model that would be an option", '{"agent":"gemini","model":"--yolo"}', "application/json", 400],
    ["a model that ends before its end", '{"agent":"gemini","model":"a\\u0000b"}', "application/json", 400],
    ["a size that is absurd", '{"cols":100000}', "application/json", 400],
    ["a form, as any page can send it", "command=sh", "application/x-www-form-urlencoded", 415],
    ["plain text, as any page can send it", '{"command":["sh"]}', "text/plain", 415],
    ["more than it wants to read", JSON.stringify({ name: "x".repeat(1_100_000) }), "application/json", 413],
  ])("refuses %s", async (_, body, type, status) => {
    const answer = await ask("POST", "/v1/launch", { body, headers: { "content-type": type } });
    expect(answer.status).toBe(status);
    expect(test.done).toEqual([]);
  });

  it("does not type JSON, with its brackets and quotes, into a terminal", async () => {
    const headers = { "content-type": "application/json" };
    const answer = await ask("POST", `/v1/sessions/${ID}/input`, { body: '{"text":"x"}', headers });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "bad_request" } } });
    expect(test.done).toEqual([]);
  });

  it("keeps some routes to the Unix socket", async () => {
    const bearer = { headers: { authorization: `Bearer ${TOKEN}` } };
    for (const path of ["/v1/shutdown", "/v1/login-codes"]) {
      expect(await ask("POST", path, bearer, "tcp")).toMatchObject({
        status: 403,
        body: { error: { code: "local_only" } },
      });
    }
    expect(test.done).toEqual([]);
    expect((await ask("POST", "/v1/shutdown")).status).toBe(200);
    expect(test.done).toEqual([["shutDown"]]);
  });

  it("never sends the token, and sets security headers on every answer", async () => {
    const answers = [
      await ask("GET", "/v1/health"),
      await ask("GET", "/v1/sessions", {}, "tcp"),
      await ask("GET", "/"),
      await ask("GET", "/v1/openapi.json"),
      await ask("GET", `/v1/history/${encodeURIComponent("claude:x")}`),
    ];
    for (const { response } of answers) {
      expect(await response.text()).not.toContain(TOKEN);
      expect(response.headers.get("content-security-policy")).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
      expect(response.headers.get("x-frame-options")).toBe("DENY");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  it("logs a browser in with the token, or once with a code", async () => {
    const own = { origin: `http://${HOST}`, "content-type": "application/json" };
    const login = (value: object): Promise<Answer> =>
      ask("POST", "/auth/login", { body: JSON.stringify(value), headers: own }, "tcp");
    const { code } = (await ask("POST", "/v1/login-codes")).body.data as { code: string };
    const first = await login({ code });
    const cookie = first.response.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^amux-token=[0-9a-f]{64}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(TOKEN);
    expect((await login({ code })).status, "a code works once").toBe(401);
    expect((await login({ token: TOKEN })).status).toBe(200);
    expect([(await login({ token: "x" })).status, (await login({})).status]).toEqual([401, 401]);
    const used = { cookie: cookie.split(";")[0]!, "sec-fetch-site": "same-origin" };
    expect((await ask("GET", "/v1/health", { headers: used }, "tcp")).status).toBe(200);
  });

  it("passes history queries in the session manager's terms", async () => {
    await ask("GET", "/v1/history?agent=claude&since=2026-01-02&limit=5&sort=cost&direction=asc&tags=a,b&counts=0");
    await ask("GET", "/v1/history/search?q=copper%20mug&sort=date");
    await ask("GET", "/v1/history/diff?a=claude:1&b=codex:2");
    await ask("GET", "/v1/cost?group_by=day,model&time_zone=UTC");
    await ask("GET", "/v1/cost.csv?group_by=day");
    await ask("GET", "/v1/history/facets?q=mug&agent=codex");
    await ask("GET", "/v1/overview?since=2026-01-02T03:04:05Z&days=7&time_zone=UTC");
    await ask("GET", "/v1/history/claude:x?from=10&limit=5");
    expect(test.done).toEqual([
      [
        "read",
        {
          kind: "list",
          agent: "claude",
          options: {
            since: new Date("2026-01-02"),
            limit: 5,
            sort: "cost",
            sortDirection: "asc",
            tags: ["a", "b"],
            counts: false,
          },
        },
      ],
      ["read", { kind: "search", query: { text: "copper mug", sort: "date" } }],
      ["read", { kind: "diff", a: { agent: "claude", sessionId: "1" }, b: { agent: "codex", sessionId: "2" } }],
      ["read", { kind: "cost", options: { groupBy: ["day", "model"], timeZone: "UTC" }, explain: false }],
      ["read", { kind: "cost", options: { groupBy: ["day"] }, explain: false, csv: true }],
      ["read", { kind: "facets", query: { text: "mug", agent: "codex" } }],
      ["read", { kind: "overview", options: { since: new Date("2026-01-02T03:04:05Z"), days: 7, timeZone: "UTC" } }],
      [
        "read",
        { kind: "transcript", session: { agent: "claude", sessionId: "x" }, from: 10, limit: 5, subagents: true },
      ],
    ]);
    for (const bad of ["since=yesterday", "limit=-1", "sort=size", "counts=maybe"]) {
      expect((await ask("GET", `/v1/history?${bad}`)).status, bad).toBe(400);
    }
    expect((await ask("GET", "/v1/cost?group_by=colour")).status).toBe(400);
  });

  it("keeps projects as they were sent", async () => {
    const list = { items: [{ slug: "shop", match: [{ path: "/w/shop" }], sessions: [ID] }], pins: [ID] };
    expect((await ask("PUT", "/v1/projects", jsonBody(list))).body.data).toEqual({ ...list, discovered: [] });
    expect((await ask("GET", "/v1/projects")).body.data).toEqual({ ...list, discovered: [] });
    for (const items of [
      [{ slug: "../x", match: [{ path: "/" }] }],
      [{ slug: "a", match: [] }],
      [{ slug: "a", match: [{ path: "/", remote: "x" }] }],
      [{ slug: "a", match: [{ remote: "x", exact: true }] }],
      [
        { slug: "a", match: [{ path: "/" }] },
        { slug: "a", match: [{ path: "/b" }] },
      ],
    ]) {
      expect((await ask("PUT", "/v1/projects", jsonBody({ items }))).status, JSON.stringify(items)).toBe(400);
    }
  });
});

describe("the OpenAPI document", () => {
  it("describes every route, and no other", async () => {
    const document = (await ask("GET", "/v1/openapi.json")).body as unknown as {
      openapi: string;
      paths: Record<string, Record<string, { operationId: string; parameters: { name: string }[] }>>;
    };
    expect(document.openapi).toBe("3.1.0");
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const served = test.app.routes
      .filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
    expect(described.sort()).toEqual([...new Set(served)].sort());
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((one) => one.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});
