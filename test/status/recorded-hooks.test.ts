/** States from real agents' hooks. The expectations come from what was typed, not from our output. */
import { describe, expect, it } from "vitest";
import { HOOK_EVENTS } from "../../src/agents/hook-events.gen.ts";
import type { Json } from "../../src/lib/json/fields.ts";
import { recordedCalls, statesOf } from "./support/recordings.ts";

describe("Claude Code", () => {
  it("reports a turn with a permission, a cancelled one, a denied one, a compaction, one more, and the exit", () => {
    expect(statesOf("claude", recordedCalls("claude", "claude-interactive.jsonl"))).toEqual([
      "SessionStart: idle",
      "UserPromptSubmit: working | Write a changelog",
      "PermissionRequest: permission | Write: /home/user/dev/shop-api/CHANGELOG.md",
      "PostToolUse: working | Write a changelog",
      "Stop: done | CHANGELOG.md is in place.",
      "UserPromptSubmit: working | Suggest a release name",
      'Stop: done | How about "Copper Mug"?',
      // Cancelled with Esc: no hook reports it.
      "UserPromptSubmit: working | Count slowly",
      "UserPromptSubmit: working | Run the slow check",
      'PermissionRequest: permission | Bash: node -e "setTimeout(()=>{},30000)"',
      "PreCompact: working | compacting | Run the slow check",
      "PostCompact: idle",
      "UserPromptSubmit: working | Where were we",
      "Stop: done | You wanted a release name.",
      "SessionEnd: offline",
    ]);
  });

  it("a sub-agent neither finishes the turn nor changes what it is about", () => {
    expect(statesOf("claude", recordedCalls("claude", "claude-subagent.jsonl"))).toEqual([
      "SessionStart: idle",
      "UserPromptSubmit: working | Use a helper to find where tax is computed",
      "Stop: done | Tax is applied in src/price.js, line 3 (factor 1.2).",
      "SessionEnd: offline",
    ]);
  });

  it("reports a session in the background", () => {
    expect(
      statesOf("claude", recordedCalls("claude", "claude-background.jsonl")).map((text) => text.split(" | ")[0]),
    ).toEqual(["SessionStart: idle", "UserPromptSubmit: working", "Stop: done", "SessionEnd: offline"]);
  });
});

describe("Codex", () => {
  it("reports permission, interruption, compaction, and a second session with a sub-agent", () => {
    expect(statesOf("codex", recordedCalls("codex", "codex.jsonl"))).toEqual([
      "SessionStart: idle",
      "UserPromptSubmit: working | Write a changelog",
      "PermissionRequest: permission | apply_patch: *** Begin Patch *** Add File: CHANGELOG.md +# Changelog + +- initial import *** End Patch",
      "PostToolUse: working | Write a changelog",
      "Stop: done | CHANGELOG.md is in place.",
      "UserPromptSubmit: working | Suggest a release name",
      'Stop: done | How about "Copper Mug"?',
      "UserPromptSubmit: working | Run the slow check",
      "Interrupt: idle",
      "PreCompact: working | compacting",
      "PostCompact: idle",
      "UserPromptSubmit: working | Where were we",
      "Stop: done | You wanted a release name.",
      "SessionEnd: offline",
      "SessionStart: idle",
      "UserPromptSubmit: working | Use a helper to find where tax is computed",
      "Stop: done | Tax is applied in src/price.js, line 3.",
      "SessionEnd: offline",
    ]);
  });
});

describe("Gemini", () => {
  it("reports permissions given and denied, a /clear, and an exit that is sent three times", () => {
    const states = statesOf("gemini", recordedCalls("gemini", "interactive.hooks.jsonl"));
    expect(states.map((text) => text.split(" | ").slice(0, 2).join(" | "))).toEqual([
      "SessionStart: idle",
      "BeforeAgent: working | Say hi.",
      "AfterAgent: done | Hi!",
      "BeforeAgent: working | Compute one.",
      "Notification: permission | Confirm Shell Command: node -p 1",
      "AfterTool: working | Compute one.",
      "AfterAgent: done | Computed.",
      "BeforeAgent: working | Compute two.",
      // Refused with Esc: neither AfterTool nor AfterAgent comes.
      "Notification: permission | Confirm Shell Command: node -p 2",
      "BeforeAgent: working | Talk at length.",
      "AfterAgent: done | [vendor instruction text shortened for this fixture, 6083 characters]",
      "SessionStart: idle",
      "SessionEnd: offline",
    ]);
  });

  it("reports a headless run", () => {
    expect(statesOf("gemini", recordedCalls("gemini", "headless.hooks.jsonl"))).toEqual([
      "SessionStart: idle",
      "BeforeAgent: working | Read the README.",
      "AfterAgent: done | It says shop-web.",
      "SessionEnd: offline",
    ]);
  });
});

describe("Qwen Code", () => {
  it("reports permissions, questions, an interruption, a failure, a compaction and the exit", () => {
    expect(statesOf("qwen", recordedCalls("qwen", "interactive.hooks.jsonl"))).toEqual([
      "SessionStart: idle",
      "UserPromptSubmit: working | Say hello.",
      "Stop: done | Hello.",
      "UserPromptSubmit: working | Compute one.",
      "PermissionRequest: permission | run_shell_command: node -p 1",
      "PostToolUse: working | Compute one.",
      "Stop: done | Computed.",
      "UserPromptSubmit: working | Make a file.",
      "PermissionRequest: permission | run_shell_command: echo from-the-tool > made.txt && cat made.txt",
      // Refused with Esc.
      "Notification: idle",
      "UserPromptSubmit: working | Ask me.",
      "PermissionRequest: waiting | Which colour shall the mug have?",
      "PostToolUse: working | Ask me.",
      "Stop: done | Red it is.",
      "UserPromptSubmit: working | Ask me again.",
      "PermissionRequest: waiting | Which toppings?",
      "Notification: idle",
      "UserPromptSubmit: working | Tell a long story.",
      "Notification: idle",
      "UserPromptSubmit: working | Fail.",
      "StopFailure: error | 400 The request was refused.",
      "PreCompact: working | compacting",
      "PostCompact: idle",
      "UserPromptSubmit: working | 1. do this",
      "Stop: done | Nothing more is scripted.",
      "SessionEnd: offline",
    ]);
  });

  it("a failure that arrives after the notification that follows it still counts", () => {
    const failure = { hook_event_name: "StopFailure", timestamp: "2026-11-18T00:40:59.740Z", error: "invalid_request" };
    expect(HOOK_EVENTS["qwen"]!.read(failure, undefined, {})).toEqual({
      event: "StopFailure",
      report: { state: "error", message: "invalid_request" },
    });
  });
});

describe("Grok Build", () => {
  it("reports permissions, questions, a refusal, an interruption, a failure and the exit", () => {
    expect(statesOf("grok", recordedCalls("grok", "interactive.hooks.jsonl"))).toEqual([
      "SessionStart: idle",
      "UserPromptSubmit: working | Say hello.",
      "Stop: done | Hello to you.",
      "UserPromptSubmit: working | Make a file.",
      "Notification: permission",
      "PostToolUse: working | Make a file.",
      "Stop: done | It is done.",
      "UserPromptSubmit: working | Ask me.",
      "PreToolUse: waiting | Which colour shall the mug have?",
      "PostToolUse: working | Ask me.",
      "Stop: done | Thank you.",
      "UserPromptSubmit: working | Ask me again.",
      "PreToolUse: waiting | Which toppings?",
      "PostToolUse: working | Ask me again.",
      "Notification: permission",
      "PermissionDenied: working | Ask me again.",
      "StopCancelled: idle",
      "UserPromptSubmit: working | Tell a long story.",
      "StopCancelled: idle",
      "UserPromptSubmit: working | Fail.",
      "StopFailure: error | API error (status 400 Bad Request): invalid_request_error: The request was refused.",
      "PreCompact: working | compacting",
      "SessionEnd: offline",
    ]);
  });

  it.each(["claude", "cursor"])("is not taken for %s, whose hooks it runs too", (agent) => {
    for (const { payload } of recordedCalls("grok", "interactive.hooks.jsonl")) {
      expect(HOOK_EVENTS[agent]!.read(payload, undefined, {})).toBeUndefined();
    }
  });
});

describe("Factory Droid", () => {
  it("reports permissions, questions, an interruption and the exit", () => {
    expect(statesOf("droid", recordedCalls("droid", "interactive.hooks.jsonl"))).toEqual([
      "SessionStart: idle",
      "UserPromptSubmit: working | Say hello.",
      "Stop: done",
      "UserPromptSubmit: working | Make a file.",
      "Notification: permission",
      "PostToolUse: working | Make a file.",
      "Stop: done",
      // Refused.
      "UserPromptSubmit: working | Write a file.",
      "Notification: permission",
      "Stop: done",
      "UserPromptSubmit: working | Ask me.",
      "PreToolUse: waiting | Which colour shall the mug have?",
      "PostToolUse: working | Ask me.",
      "Stop: done",
      "UserPromptSubmit: working | Ask me again.",
      "PreToolUse: waiting | Which toppings?",
      "Stop: done",
      "UserPromptSubmit: working | Tell a long story.",
      "Notification: idle",
      // Its hooks do not tell a failure from an end.
      "UserPromptSubmit: working | Fail.",
      "Stop: done",
      "SessionEnd: offline",
    ]);
  });
});

describe("Kimi Code", () => {
  it("reports permissions, questions, an interruption, a failure, a compaction and the exit", () => {
    expect(statesOf("kimi", recordedCalls("kimi", "interactive.hooks.jsonl"))).toEqual([
      "SessionStart: idle",
      "UserPromptSubmit: working | Say hello.",
      "Stop: done",
      "UserPromptSubmit: working | Compute one.",
      "PermissionRequest: permission | Bash: node -p 1",
      "PermissionResult: working | Compute one.",
      "Stop: done",
      "UserPromptSubmit: working | Make a file.",
      "PermissionRequest: permission | Bash: echo from-the-tool > made.txt && cat made.txt",
      "PermissionResult: working | Make a file.",
      "Stop: done",
      "UserPromptSubmit: working | Ask me.",
      "PreToolUse: waiting | Which colour shall the mug have?",
      "Stop: done",
      "UserPromptSubmit: working | Ask me again.",
      "PreToolUse: waiting | Which toppings?",
      "Stop: done",
      "UserPromptSubmit: working | Tell a long story.",
      "Interrupt: idle",
      "UserPromptSubmit: working | Fail.",
      "StopFailure: error | 400 The request was refused.",
      "PreCompact: working | compacting",
      "PostCompact: idle",
      "UserPromptSubmit: working | 1. do this",
      "Stop: done",
      "SessionEnd: offline",
    ]);
  });
});

describe("Copilot", () => {
  it("reports permissions, a sub-agent, a failure", () => {
    expect(statesOf("copilot", recordedCalls("copilot", "interactive.hooks.jsonl"))).toEqual([
      "sessionStart: working",
      "userPromptSubmitted: working | Say hi.",
      "agentStop: done",
      "userPromptSubmitted: working | Compute one.",
      "notification: permission | Run command: node -p 1",
      "postToolUse: working | Compute one.",
      "agentStop: done",
      "userPromptSubmitted: working | Use an agent.",
      "agentStop: done",
      "userPromptSubmitted: working | Compute two.",
      "notification: permission | Run command: node -p 2",
      "userPromptSubmitted: working | Fail now.",
      "errorOccurred: error | mock failure",
      "sessionEnd: offline",
    ]);
  });

  it("asks nobody in a headless run, even if its permission hook is called", () => {
    expect(statesOf("copilot", recordedCalls("copilot", "headless.hooks.jsonl"))).toEqual([
      "sessionStart: working",
      "userPromptSubmitted: working | Read the README.",
      "agentStop: done",
      "sessionEnd: offline",
    ]);
  });
});

describe("OpenCode", () => {
  it("reports a permission given, one denied, and turns around them", () => {
    expect(statesOf("opencode", recordedCalls("opencode", "plugin-log.jsonl"))).toEqual([
      "session.created: idle",
      "chat.message: working",
      "session.status: done",
      "chat.message: working",
      "permission.asked: permission | bash: node -p 1",
      "permission.replied: working",
      "session.status: done",
      "chat.message: working",
      "permission.asked: permission | bash: node -p 2",
      "permission.replied: working",
      "session.status: done",
      "chat.message: working",
      "session.status: done",
    ]);
  });
});

describe("Pi and omp", () => {
  it("Pi: a turn, a dialog while idle, an aborted turn, the exit", () => {
    expect(statesOf("pi", recordedCalls("pi", "p15-status-ext.events.jsonl"))).toEqual([
      "session_start: idle",
      "before_agent_start: working | Sketch the pay command",
      "agent_settled: done",
      "ui_prompt_start: waiting | Deploy?",
      "ui_prompt_end: idle",
      "before_agent_start: working | Think for a very long time",
      "agent_settled: idle",
      "session_shutdown: offline",
    ]);
  });

  it("omp: a turn, one that is not told apart from an aborted one, the exit", () => {
    expect(statesOf("omp", recordedCalls("omp", "o18-status-ext.events.jsonl"))).toEqual([
      "session_start: idle",
      "before_agent_start: working | Sketch the pay command",
      "agent_end: done",
      "before_agent_start: working | Think for a very long time",
      "agent_end: done",
      "session_shutdown: offline",
    ]);
  });
});

/** Payloads from the documentation of Cursor and Hermes, which could not be recorded. */
function documentedStates(agent: string, payloads: readonly Json[]): string[] {
  return statesOf(
    agent,
    payloads.map((payload, index) => ({ at: 1000 * (index + 1), event: undefined, payload })),
  );
}

describe("Cursor", () => {
  const call = (name: string, fields: Json = {}): Json => ({
    hook_event_name: name,
    conversation_id: "c1",
    generation_id: "g1",
    workspace_roots: ["/w"],
    ...fields,
  });

  it("reports turns that are completed, aborted and failed, and the end", () => {
    expect(
      documentedStates("cursor", [
        call("sessionStart", { session_id: "c1", is_background_agent: false }),
        call("beforeSubmitPrompt", { prompt: "Sketch it", attachments: [] }),
        call("postToolUse", { tool_name: "Shell", tool_input: { command: "ls" }, cwd: "/w" }),
        call("stop", { status: "completed", loop_count: 0 }),
        call("beforeSubmitPrompt", { prompt: "More" }),
        call("stop", { status: "aborted" }),
        call("beforeSubmitPrompt", { prompt: "Again" }),
        call("stop", { status: "error" }),
        call("sessionEnd", { session_id: "c1", reason: "user_close" }),
      ]),
    ).toEqual([
      "sessionStart: idle",
      "beforeSubmitPrompt: working | Sketch it",
      "stop: done",
      "beforeSubmitPrompt: working | More",
      "stop: idle",
      "beforeSubmitPrompt: working | Again",
      "stop: error",
      "sessionEnd: offline",
    ]);
  });

  it("names its tools and its directory", () => {
    const payload = call("postToolUse", { tool_name: "Shell" });
    expect(HOOK_EVENTS["cursor"]!.read(payload, undefined, {})).toMatchObject({ tool: "Shell", cwd: "/w" });
  });
});

describe("Hermes", () => {
  const call = (name: string, extra: Json = {}, fields: Json = {}): Json => ({
    hook_event_name: name,
    tool_name: null,
    tool_input: null,
    session_id: "h1",
    cwd: "/w",
    extra,
    ...fields,
  });

  it("reports an approval, a question, a sub-agent, an interruption, a failure and the exit", () => {
    const nobody = { session_id: "" };
    expect(
      documentedStates("hermes", [
        call("on_session_start", { platform: "cli" }),
        call("pre_llm_call", { platform: "cli", user_message: "Clean up" }),
        call("pre_approval_request", { command: "rm -rf build", surface: "cli" }, nobody),
        call("post_approval_response", { command: "rm -rf build", choice: "once" }, nobody),
        call("post_tool_call", {}, { tool_name: "terminal" }),
        call("on_session_start", { platform: "subagent" }, { session_id: "child" }),
        call("pre_llm_call", { platform: "subagent", user_message: "Look" }, { session_id: "child" }),
        call("post_tool_call", {}, { tool_name: "read_file", session_id: "child" }),
        call("on_session_end", { platform: "subagent", completed: true }, { session_id: "child" }),
        call("pre_tool_call", {}, { tool_name: "clarify", tool_input: { question: "Which?" } }),
        call("post_tool_call", {}, { tool_name: "clarify" }),
        call("post_llm_call", { assistant_response: "All clean." }),
        call("on_session_end", { completed: true, interrupted: false, failed: false }),
        call("pre_llm_call", { user_message: [{ type: "text", text: "And this" }, { type: "image_url" }] }),
        call("pre_approval_request", { command: "ls", surface: "smart" }, nobody),
        call("on_session_end", { completed: false, interrupted: true }),
        call("pre_llm_call", { user_message: "Fail" }),
        call("on_session_end", { completed: false, failed: true, turn_exit_reason: "no answer" }),
        call("on_session_end", { reason: "exit" }),
        call("on_session_finalize"),
        call("on_session_reset", {}, { session_id: "h2" }),
      ]),
    ).toEqual([
      "on_session_start: idle",
      "pre_llm_call: working | Clean up",
      "pre_approval_request: permission | rm -rf build",
      "post_approval_response: working | Clean up",
      "pre_tool_call: waiting | Which?",
      "post_tool_call: working | Clean up",
      "post_llm_call: done | All clean.",
      "pre_llm_call: working | And this",
      "on_session_end: idle",
      "pre_llm_call: working | Fail",
      "on_session_end: error | no answer",
      "on_session_finalize: offline",
      "on_session_reset: idle",
    ]);
  });
});

describe("every reader", () => {
  it.each(Object.keys(HOOK_EVENTS))("of %s accepts anything without an error", (agent) => {
    const odd = [{}, { hook_event_name: 5 }, { type: "permission.asked" }, { event: "ui_prompt_start", title: {} }];
    const events = [
      undefined,
      "Notification",
      "PermissionRequest",
      "notification",
      "errorOccurred",
      "Stop",
      "no such event",
    ];
    for (const payload of [
      ...odd,
      { hook_event_name: "PermissionRequest", tool_name: 3, tool_input: "x".repeat(1e6) },
    ]) {
      for (const event of events) expect(() => HOOK_EVENTS[agent]!.read(payload, event, {})).not.toThrow();
    }
  });
});
