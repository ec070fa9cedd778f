/** Transcripts of Pi and Copilot CLI, for the second scripted day. */
import { join } from "node:path";
import { Transcript } from "./blame-transcript.mjs";

export class Pi extends Transcript {
  agent = "pi";

  constructor(options) {
    super(options);
    const folder = `--${this.repo.replace(/^\//, "").replaceAll("/", "-")}--`;
    const at = this.time.replaceAll(/[:.]/g, "-");
    this.begin(`.pi/agent/sessions/${folder}/${at}_${this.id}.jsonl`, [
      { type: "session", version: 3, id: this.id, timestamp: this.time, cwd: this.repo },
    ]);
    this.#record({ type: "model_change", provider: "anthropic", modelId: "claude-sonnet-4-5" });
  }

  #record(fields) {
    const id = (++this.calls).toString(16).padStart(8, "0");
    const { type, ...more } = fields;
    this.add({ type, id, parentId: this.last ?? null, timestamp: this.time, ...more });
    this.last = id;
  }

  #message(message) {
    this.#record({ type: "message", message: { ...message, timestamp: this.now() } });
  }

  prompt(text) {
    this.#message({ role: "user", content: [{ type: "text", text }] });
  }

  #call(name, args, said, isError = false) {
    const toolCallId = `toolu_${this.id.slice(0, 8)}${this.calls}`;
    this.#message({
      role: "assistant",
      content: [{ type: "toolCall", id: toolCallId, name, arguments: args }],
      api: "anthropic-messages",
      provider: "anthropic",
      model: "claude-sonnet-4-5",
      usage: { input: 200, output: 130, cacheRead: 1400, cacheWrite: 100, totalTokens: 1830 },
      stopReason: "toolUse",
    });
    const content = [{ type: "text", text: said }];
    this.#message({ role: "toolResult", toolCallId, toolName: name, content, isError });
  }

  read(path, lines) {
    this.#call("read", { path }, lines.join("\n"));
  }

  edit({ path, before, after, content, fails = false }) {
    if (content !== undefined) this.#call("write", { path, content }, `Successfully wrote to ${path}`, fails);
    else {
      const said = fails ? `Could not find the exact text in ${path}.` : `Successfully replaced 1 block(s) in ${path}.`;
      this.#call("edit", { path, edits: [{ oldText: before, newText: after }] }, said, fails);
    }
  }

  shell(command) {
    this.#call("bash", { command }, "");
  }
}

export class Copilot extends Transcript {
  agent = "copilot";

  constructor(options) {
    super(options);
    this.begin(`.copilot/session-state/${this.id}/events.jsonl`, []);
    this.#event("session.start", {
      sessionId: this.id,
      version: 1,
      producer: "copilot-agent",
      copilotVersion: "1.0.102",
      startTime: this.time,
      selectedModel: "claude-sonnet-4.6",
      context: { cwd: this.repo, gitRoot: this.repo, branch: "main" },
    });
  }

  #event(type, data) {
    const id = `${this.id.slice(0, 24)}${String(++this.calls).padStart(12, "0")}`;
    this.add({ type, data, id, timestamp: this.time, parentId: this.last ?? null });
    this.last = id;
  }

  prompt(content) {
    this.#event("user.message", { content, transformedContent: content, turnId: "0" });
  }

  #call(name, args, content, isError = false) {
    const toolCallId = `toolu_${this.id.slice(0, 8)}${this.calls}`;
    const model = "claude-sonnet-4.6";
    const toolRequests = [{ toolCallId, name, arguments: args, type: "function" }];
    this.#event("assistant.message", { messageId: `m${this.calls}`, model, content: "", toolRequests, turnId: "0" });
    this.#event("tool.execution_start", { toolCallId, toolName: name, arguments: args, turnId: "0", model });
    const result = isError ? { success: false, error: { message: content } } : { success: true, result: { content } };
    this.#event("tool.execution_complete", { toolCallId, model, turnId: "0", ...result });
  }

  read(path, lines) {
    this.#call("view", { path: join(this.repo, path) }, lines.join("\n"));
  }

  edit({ path, before, after, content, fails }) {
    const place = join(this.repo, path);
    if (content !== undefined) {
      const said = `Created file ${place} with ${content.length} characters`;
      this.#call("create", { path: place, file_text: content }, said, fails);
    } else {
      const said = fails ? "No match found for old_str." : `File ${place} updated with changes.`;
      this.#call("edit", { path: place, old_str: before, new_str: after }, said, fails);
    }
  }

  shell(command) {
    this.#call("bash", { command }, "");
  }
}
