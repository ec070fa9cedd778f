import { expect, it } from "vitest";
import type { SessionView } from "../status/session-view.ts";
import { chooseSession } from "./choose-session.ts";

const sessions = [
  { ref: "sess-aaaa1111", name: "bash", slug: "fix-auth-bug" },
  { ref: "sess-bbbb2222", name: "make all" },
  { ref: "sess-cccc3333@box", name: "bash", slug: "docs", peer: "box" },
] as SessionView[];

it("a session is found by its id, slug or name, or a prefix of one", () => {
  for (const [ref, id] of [
    ["sess-aaaa1111", "sess-aaaa1111"],
    ["fix-auth-bug", "sess-aaaa1111"],
    ["fix-", "sess-aaaa1111"],
    ["make", "sess-bbbb2222"],
    ["docs@box", "sess-cccc3333@box"],
    ["cccc@box", "sess-cccc3333@box"],
  ] as const) {
    expect(chooseSession(sessions, ref).ref, ref).toBe(id);
  }
  expect(() => chooseSession(sessions, "docs")).toThrow('No session is called "docs"');
  expect(() => chooseSession(sessions, "fix-auth-bugs")).toThrow("did you mean fix-auth-bug?");
});
