import { describe, expect, it } from "vitest";
import { promptText } from "./prompt-text.ts";

describe("a prompt", () => {
  it.each([
    ["[Sun 2026-11-15 01:56 UTC] Hello", "Hello"],
    ["[Telegram Sam id:12 +2m 2026-01-24 13:36 UTC] Hello\n[message_id: 77]", "Hello"],
    ["[WhatsApp +1555 2026-01-24T13:36Z] Hello", "Hello"],
    ["[cron:5f2a daily] Sum up the day", "Sum up the day"],
    ["System: [2026-01-24 13:36:01 UTC] Node connected\nSystem: [2026-01-24 13:36:05 UTC] Node lost\n\nHello", "Hello"],
    [
      'Conversation info (untrusted metadata):\n```json\n{"chat": 1}\n```\n\nSender (untrusted metadata):\n```json\n{}\n```\n\nHello',
      "Hello",
    ],
  ])("loses what the gateway put in front of it: %j", (text, said) => {
    expect(promptText(text, {})).toBe(said);
  });

  it.each(["Hello", "[todo] write tests", "[2026-11-15 01:56] a line of a log", "[INFO 2026-11-15 01:56] another", ""])(
    "stays as it was said: %j",
    (text) => {
      expect(promptText(text, {})).toBe(text);
    },
  );

  it.each([
    ["[OpenClaw heartbeat poll]", { provenance: { kind: "internal_system", sourceTool: "heartbeat" } }],
    ["Anything", { provenance: { kind: "inter_session" } }],
    ["[Inter-session message] sourceSession=agent:main:subagent:1", {}],
    ["Read HEARTBEAT.md if it exists (workspace context). Follow it strictly.", {}],
    ["A new session was started via /new or /reset. Greet the user.", {}],
  ])("of the agent itself is a notice: %j", (text, message) => {
    expect(promptText(text, message)).toEqual({ notice: text });
  });

  it("from outside another way is a person's", () => {
    expect(promptText("Hello", { provenance: { kind: "external_user" } })).toBe("Hello");
  });
});
