import { describe, expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import type { MessageRole, SessionMessage } from "../core/session.ts";
import { diffMessages } from "./diff.ts";
import { clientOf, madeAgent } from "../../test/support/made-agent.ts";
import { DEADLINE_MS } from "../../test/support/deadline.ts";

/** `u:hello` is a user message. */
function messages(...texts: string[]): SessionMessage[] {
  const roles: Record<string, MessageRole> = { u: "user", a: "assistant", t: "tool", s: "system" };
  return texts.map((text) => ({ role: roles[text[0]!]!, content: text.slice(2) }));
}

/** `=u:hello`, `-…`, `+…`, `~old>new`. */
function shown(a: SessionMessage[], b: SessionMessage[]): string[] {
  return diffMessages(a, b).operations.map(({ type, messageA, messageB, indexA, indexB }) => {
    expect([messageA, messageB]).toEqual([a[indexA ?? -1], b[indexB ?? -1]]);
    if (type === "unchanged") return `=${messageA!.content}`;
    if (type === "removal") return `-${messageA!.content}`;
    if (type === "addition") return `+${messageB!.content}`;
    return `~${messageA!.content}>${messageB!.content}`;
  });
}

describe("a diff", () => {
  it("of very long sessions does not overflow the stack", () => {
    const long = Array.from({ length: 200_000 }, (): SessionMessage => ({ role: "user", content: "x" }));
    expect(diffMessages(long, []).stats.removals).toBe(long.length);
  });

  it.each([
    ["of equal sessions is none", ["u:a", "a:b"], ["u:a", "a:b"], ["=a", "=b"]],
    ["of empty sessions is none", [], [], []],
    ["to nothing removes all", ["u:a", "a:b"], [], ["-a", "-b"]],
    ["from nothing adds all", [], ["u:a"], ["+a"]],
    ["of a fork adds its end", ["u:a", "a:b"], ["u:a", "a:b", "u:c"], ["=a", "=b", "+c"]],
    ["in one message modifies it", ["u:a", "a:b", "u:c"], ["u:a", "a:x", "u:c"], ["=a", "~b>x", "=c"]],
    ["in the role is no modification", ["u:a", "a:b"], ["u:a", "t:b"], ["=a", "-b", "+b"]],
    ["pairs a gap by role", ["u:a", "a:b", "u:z"], ["u:a", "t:n", "a:c", "u:z"], ["=a", "+n", "~b>c", "=z"]],
    ["finds what moved", ["u:a", "u:b", "u:c"], ["u:b", "u:c", "u:a"], ["-a", "=b", "=c", "+a"]],
  ])("%s", (_, a, b, expected) => {
    expect(shown(messages(...a), messages(...b))).toEqual(expected);
  });

  it("distinguishes messages without text by the tools they call, and their results", () => {
    const call = (toolName: string, input: object): SessionMessage => ({
      role: "assistant",
      content: "",
      toolCalls: [{ toolCallId: "random", toolName, input }],
    });
    const result = (output: string): SessionMessage => ({
      role: "tool",
      content: "",
      toolResult: { toolCallId: "random", toolName: "Bash", output },
    });
    const a = [call("Bash", { command: "git status" }), call("Read", { path: "a" }), result("clean")];
    const b = [call("Write", { path: "docs/api.md" }), call("Read", { path: "a" }), result("changed")];
    expect(diffMessages(a, b).operations.map(({ type }) => type)).toEqual([
      "modification",
      "unchanged",
      "modification",
    ]);
    const again = a.map((message) => ({
      ...message,
      toolCalls: message.toolCalls?.map((c) => ({ ...c, toolCallId: "x" })) ?? [],
    }));
    expect(diffMessages(a, again).stats, "ids of calls are made anew").toMatchObject({ unchanged: 3 });
  });

  it("counts what it found", () => {
    const { stats } = diffMessages(messages("u:a", "a:b", "t:c", "u:d"), messages("u:a", "a:x", "u:d", "u:e"));
    expect(stats).toEqual({ removals: 1, additions: 1, modifications: 1, unchanged: 2 });
  });

  it("distinguishes a user's words from the same words of an assistant", () => {
    expect(shown(messages("u:same"), messages("a:same"))).toEqual(["-same", "+same"]);
  });

  it("is not fooled by content that looks like a role", () => {
    expect(shown(messages("u:x\0y"), [{ role: "user", content: "x" }])).toEqual(["~x\0y>x"]);
  });

  it("covers every message exactly once, whatever the two are", () => {
    let seed = 1;
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const some = (): SessionMessage[] =>
      messages(...Array.from({ length: random(30) }, () => `${"uats"[random(4)]}:${random(6)}`));
    for (let round = 0; round < 300; round++) {
      const [a, b] = [some(), some()];
      const { operations, stats } = diffMessages(a, b);
      expect(operations.flatMap((each) => each.indexA ?? [])).toEqual(a.map((_, index) => index));
      expect(operations.flatMap((each) => each.indexB ?? [])).toEqual(b.map((_, index) => index));
      expect(stats.unchanged + stats.modifications + stats.removals).toBe(a.length);
      expect(stats.unchanged + stats.modifications + stats.additions).toBe(b.length);
    }
  });

  it("of two long sessions that share their first half is quick", () => {
    const shared = Array.from({ length: 10_000 }, (_, i) => `u:${i}`);
    const a = messages(...shared, ...Array.from({ length: 10_000 }, (_, i) => `a:left ${i}`));
    const b = messages(...shared, ...Array.from({ length: 10_000 }, (_, i) => `a:right ${i}`));
    const started = performance.now();
    expect(diffMessages(a, b).stats).toEqual({ removals: 0, additions: 0, modifications: 10_000, unchanged: 10_000 });
    expect(performance.now() - started).toBeLessThan(DEADLINE_MS);
  });
});

describe("the manager's diff", () => {
  it("works across agents and names both sessions", async () => {
    const { sessions } = clientOf(
      tempHome().path,
      madeAgent("one", [{ id: "x", messages: messages("u:hi", "a:yes") }]),
      madeAgent("two", [{ id: "y:z", messages: messages("u:hi", "a:no") }]),
    );
    const diff = await sessions.diff({ agent: "one", sessionId: "x" }, { agent: "two", sessionId: "y:z" });
    expect(diff).toMatchObject({
      a: { agent: "one", sessionId: "x", unifiedId: "one:x" },
      b: { agent: "two", sessionId: "y:z", unifiedId: "two:y:z" },
      stats: { unchanged: 1, modifications: 1, additions: 0, removals: 0 },
    });
  });
});
