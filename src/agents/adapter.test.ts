import { describe, expect, it } from "vitest";
import type { SessionSource } from "./adapter.ts";
import { AgentRegistry } from "./registry.ts";

describe("the command that opens a session", () => {
  it.each(new AgentRegistry().names())("of %s passes no id that its program would read as an option", async (name) => {
    const { launch } = await new AgentRegistry().get(name);
    const sourceOf = (sessionId: string): SessionSource => ({
      sessionId,
      path: "/x/chats/y/store.db",
      files: [],
      updatedMs: 0,
    });
    for (const open of [launch?.resume, launch?.fork]) {
      const argv = open?.("--yolo", {
        ...sourceOf("--yolo"),
        locator: { kind: "chat", layout: "events", about: { key: "--yolo" } },
      });
      if (argv?.includes("--yolo")) expect(argv.slice(argv.indexOf("--")), argv.join(" ")).toEqual(["--", "--yolo"]);
    }
  });

  it("is unchanged for every other id", async () => {
    const { launch } = await new AgentRegistry().get("claude");
    const source: SessionSource = { sessionId: "a-b", path: "/x", files: [], updatedMs: 0 };
    expect(launch?.resume?.("a-b", source)).toEqual(["claude", "--resume", "a-b"]);
    expect(launch?.fork?.("a-b", source)).toEqual(["claude", "--resume", "a-b", "--fork-session"]);
  });
});

it.each(new AgentRegistry().names())("whether %s is experimental is known without loading it", async (name) => {
  const { isExperimental } = await new AgentRegistry().get(name);
  expect(new AgentRegistry().isExperimental(name)).toBe(isExperimental === true);
});
