import { describe, expect, it } from "vitest";
import { AgentMuxError } from "../../core/errors.ts";
import type { ReviewSend } from "../../protocol/review.ts";
import type { HistoryRequest } from "../files/history-request.ts";
import { Problem } from "../problem.ts";
import { SessionStore } from "../store/store.ts";
import { reviewRoutes, type ReviewRouteParts } from "./review-routes.ts";

const [AGENT, SHELL, ENDED] = ["sess-aaaaaaaa", "sess-bbbbbbbb", "sess-cccccccc"];

class Place {
  readonly store = new SessionStore();
  readonly asked: HistoryRequest[] = [];
  readonly parts: ReviewRouteParts;

  constructor(fails?: Error) {
    for (const [id, kind, alive] of [
      [AGENT, "claude", true],
      [SHELL, "shell", true],
      [ENDED, "claude", false],
    ] as const) {
      const fixed = { created_at: "2026-01-01T00:00:00Z", cwd: "/shop", command: [kind], status: null, unread: false };
      this.store.upsert("runner", id, { ...fixed, kind, alive });
    }
    const { asked, store } = this;
    const files = {
      async *read(request: HistoryRequest): AsyncGenerator<string> {
        asked.push(request);
        yield JSON.stringify({ delivery: "d1", message: "words", comments: [1], root: "/shop" });
      },
    };
    const done = <Data>(data: Data): Promise<Data> =>
      fails === undefined ? Promise.resolve(data) : Promise.reject(fails);
    const receipt = { via: "typed", receipt: "delivered", confirmed: true } as const;
    this.parts = {
      store,
      files,
      answers: { message: () => done(receipt) },
      launcher: { launch: () => done({ session_id: "sess-dddddddd", pid: 1 }) },
    };
  }

  async send(id: string, body: ReviewSend = {}): Promise<unknown> {
    const path = id.includes(":") ? "/v1/history/{unifiedId}/review/send" : "/v1/sessions/{id}/review/send";
    const route = reviewRoutes(this.parts).find((each) => each.path === path)!;
    return route.run({ params: { id, unifiedId: id }, body } as never);
  }

  get kinds(): string[] {
    return this.asked.map(({ kind }) => kind);
  }
}

describe("sending comments", () => {
  it("takes none if the receiver is not there, has ended or is a shell", async () => {
    const place = new Place();
    for (const [id, body, code] of [
      [AGENT, { to: "sess-zzzzzzzz" }, "not_found"],
      [AGENT, { to: ENDED }, "not_running"],
      [ENDED, {}, "not_running"],
      ["claude:unknown", {}, "not_running"],
      [AGENT, { to: SHELL }, "bad_request"],
      [AGENT, { to: AGENT, new: "codex" }, "bad_request"],
    ] as const) {
      await expect(place.send(id, body)).rejects.toMatchObject({ code });
    }
    expect(place.asked).toEqual([]);
  });

  it("keeps who got them, in the session or in a new one", async () => {
    const place = new Place();
    expect(await place.send(ENDED, { to: AGENT })).toMatchObject({ session: AGENT, receipt: "delivered" });
    expect(await place.send(ENDED, { new: "codex" })).toMatchObject({ session: "sess-dddddddd", receipt: "started" });
    expect(place.asked).toMatchObject([
      { kind: "take-comments", ids: [ENDED], wish: { to: AGENT } },
      { kind: "settle-comments", delivery: "d1", outcome: { session: AGENT } },
      { kind: "take-comments", wish: { new: "codex" } },
      { kind: "settle-comments", outcome: { session: "sess-dddddddd" } },
    ]);
  });

  it("takes them back if no session was started, and holds them if it is not known", async () => {
    const refused = new Place(new Problem("cwd_gone", "The directory is gone."));
    await expect(refused.send(AGENT, { new: "codex" })).rejects.toMatchObject({ code: "cwd_gone" });
    expect(refused.asked.at(-1)).not.toHaveProperty("outcome");
    expect(refused.kinds).toEqual(["take-comments", "settle-comments"]);
    const silent = new Place(new AgentMuxError("TIMEOUT", "No answer."));
    await expect(silent.send(AGENT)).rejects.toThrow("not known whether the comments arrived");
    expect(silent.kinds).toEqual(["take-comments", "settle-comments"]);
    expect(silent.asked.at(-1)).toMatchObject({ outcome: "unclear" });
  });

  it("takes them back if the session ended or was removed just before", async () => {
    for (const code of ["not_running", "not_found"] as const) {
      const ended = new Place(new Problem(code, "The session is not running."));
      await expect(ended.send(AGENT)).rejects.toMatchObject({ code, message: "The session is not running." });
      expect(ended.kinds).toEqual(["take-comments", "settle-comments"]);
      expect(ended.asked.at(-1)).not.toHaveProperty("outcome");
    }
  });
});
