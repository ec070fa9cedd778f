import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { labelRoutes } from "./label-routes.ts";
import { jsonBody, TestApp } from "./testing/test-app.ts";

const TAGS = "/v1/history/claude:x/tags";

function named(count: number, prefix: string): string[] {
  return Array.from({ length: count }, (_, n) => `${prefix}${n}`);
}

describe("tags", () => {
  it("are refused for a session that does not exist, and removed without a question", async () => {
    const { path: home } = tempHome();
    const files = {
      // oxlint-disable-next-line require-yield -- Fails before its first piece.
      async *read(): AsyncGenerator<string> {
        throw new AgentMuxError("SESSION_NOT_FOUND", "none");
      },
    };
    const [route] = labelRoutes({ env: { home, platform: "linux", vars: {} }, files });
    const run = (body: object): unknown =>
      route!.run({ params: { unifiedId: "claude:x" }, body, signal: new AbortController().signal } as never);
    await expect(run({ add: ["a"] })).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
    expect(existsSync(join(home, ".agent-mux", "session-labels.json"))).toBe(false);
    expect(await run({ remove: ["a"] })).toEqual({ tags: [] });
  });

  it("are bounded for each session, over several requests", async () => {
    const app = new TestApp();
    const tag = (body: object) => app.ask("POST", TAGS, jsonBody(body));
    expect((await tag({ add: named(50, "a") })).status).toBe(200);
    const refused = await tag({ add: ["more"] });
    expect([refused.status, refused.body.error?.message]).toEqual([400, expect.stringContaining("50 tags")]);
    expect((await tag({ add: ["more"], remove: ["a0"] })).status).toBe(200);
  });
});
