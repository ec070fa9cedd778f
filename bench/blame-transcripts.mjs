/** Transcripts of scripted sessions in the real formats of five agents, for measuring blame. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Copilot, Pi } from "./blame-more-transcripts.mjs";
import { Transcript } from "./blame-transcript.mjs";

/** Each has `prompt`, `read` and `edit`; an edit is `{ path, before, after }`, or `{ path, content }` for a whole file. */
export function scriptedSession(agent, { home, repo, id, now }) {
  return new FORMATS[agent]({ home, repo, id, now });
}

class Claude extends Transcript {
  agent = "claude";

  constructor(options) {
    super(options);
    this.begin(`.claude/projects/${this.repo.replaceAll(/[^a-zA-Z0-9]/g, "-")}/${this.id}.jsonl`, []);
  }

  #record(type, message, parent = this.last) {
    const uuid = `${this.id.slice(0, 24)}${String(++this.calls).padStart(12, "0")}`;
    this.add({
      parentUuid: parent ?? null,
      isSidechain: false,
      type,
      message,
      uuid,
      timestamp: this.time,
      userType: "external",
      cwd: this.repo,
      sessionId: this.id,
      version: "2.1.325",
      gitBranch: "main",
      ...(type === "assistant" ? { requestId: `req_${uuid}` } : {}),
    });
    this.last = uuid;
  }

  prompt(text) {
    this.#record("user", { role: "user", content: text });
  }

  #call(name, input, content, isError = false) {
    const id = `toolu_${this.id.slice(0, 8)}${this.calls}`;
    const usage = { input_tokens: 50, output_tokens: 200, cache_read_input_tokens: 4000 };
    this.#record("assistant", {
      id: `msg_${id}`,
      role: "assistant",
      model: "claude-opus-5-5",
      content: [{ type: "tool_use", id, name, input }],
      stop_reason: "tool_use",
      usage,
    });
    const result = { type: "tool_result", tool_use_id: id, content, ...(isError ? { is_error: true } : {}) };
    this.#record("user", { role: "user", content: [result] });
  }

  read(path, lines) {
    const shown = lines.map((line, index) => `${String(index + 1).padStart(6)}\t${line}`).join("\n");
    this.#call("Read", { file_path: join(this.repo, path) }, shown);
  }

  edit({ path, before, after, content, isNew, fails }) {
    const file_path = join(this.repo, path);
    const said = fails
      ? "String to replace not found in file."
      : isNew
        ? `File created successfully at: ${file_path}`
        : `The file ${file_path} has been updated successfully.`;
    if (content !== undefined) this.#call("Write", { file_path, content }, said, fails);
    else this.#call("Edit", { replace_all: false, file_path, old_string: before, new_string: after }, said, fails);
  }

  shell(command) {
    this.#call("Bash", { command }, "");
  }
}

class Codex extends Transcript {
  agent = "codex";

  constructor(options) {
    super(options);
    const day = this.time.slice(0, 10).replaceAll("-", "/");
    const at = this.time.slice(0, 19).replaceAll(":", "-");
    this.begin(`.codex/sessions/${day}/rollout-${at}-${this.id}.jsonl`, [
      this.#line("session_meta", {
        id: this.id,
        timestamp: this.time,
        cwd: this.repo,
        originator: "codex-tui",
        cli_version: "0.166.0",
        source: "cli",
        model_provider: "openai",
      }),
      this.#line("turn_context", { cwd: this.repo, model: "gpt-5.5", approval_policy: "on-request" }),
    ]);
  }

  #line(type, payload) {
    return { timestamp: this.time, type, payload };
  }

  prompt(text) {
    const content = [{ type: "input_text", text }];
    this.add(
      this.#line("response_item", { type: "message", role: "user", content }),
      this.#line("event_msg", { type: "user_message", message: text }),
    );
  }

  read(path, lines) {
    const call_id = `call_${this.id.slice(-6)}${++this.calls}`;
    const args = JSON.stringify({ cmd: `cat ${path}` });
    this.add(
      this.#line("response_item", { type: "function_call", name: "exec_command", arguments: args, call_id }),
      this.#line("response_item", { type: "function_call_output", call_id, output: lines.join("\n") }),
    );
  }

  edit({ path, before, after, content, fails }) {
    const call_id = `call_${this.id.slice(-6)}${++this.calls}`;
    const signed = (sign, text) => text.split("\n").map((line) => `${sign}${line}`);
    const body =
      content === undefined
        ? [`*** Update File: ${path}`, "@@", ...signed("-", before), ...signed("+", after)]
        : [`*** Add File: ${path}`, ...signed("+", content.replace(/\n$/, ""))];
    const input = ["*** Begin Patch", ...body, "*** End Patch"].join("\n");
    const said = fails ? "Exit code: 1\nOutput:\napply_patch verification failed" : "Exit code: 0\nOutput:\nSuccess.";
    this.add(
      this.#line("response_item", {
        type: "custom_tool_call",
        status: "completed",
        call_id,
        name: "apply_patch",
        input,
      }),
      this.#line("response_item", { type: "custom_tool_call_output", call_id, output: said }),
    );
  }

  shell(cmd) {
    const call_id = `call_${this.id.slice(-6)}${++this.calls}`;
    this.add(
      this.#line("response_item", {
        type: "function_call",
        name: "exec_command",
        arguments: JSON.stringify({ cmd }),
        call_id,
      }),
      this.#line("response_item", { type: "function_call_output", call_id, output: "Exit code: 0" }),
    );
  }
}

class Gemini extends Transcript {
  agent = "gemini";

  constructor(options) {
    super(options);
    const name = this.repo.split("/").at(-1);
    const folder = `.gemini/tmp/${name}`;
    mkdirSync(join(this.home, folder), { recursive: true });
    writeFileSync(join(this.home, folder, ".project_root"), this.repo);
    writeFileSync(join(this.home, ".gemini/projects.json"), JSON.stringify({ projects: { [this.repo]: name } }));
    const at = this.time.slice(0, 16).replaceAll(":", "-");
    this.begin(`${folder}/chats/session-${at}-${this.id.slice(0, 8)}.jsonl`, [
      { sessionId: this.id, projectHash: "0", startTime: this.time, lastUpdated: this.time, kind: "main" },
    ]);
  }

  #message(type, more) {
    const id = `${this.id.slice(0, 24)}${String(++this.calls).padStart(12, "0")}`;
    this.add({ id, timestamp: this.time, type, ...more });
  }

  prompt(text) {
    this.#message("user", { content: [{ text }] });
  }

  #call(name, args, output, status = "success") {
    const id = `${name}_${this.id.slice(0, 8)}_${this.calls}`;
    const response = status === "success" ? { output } : { error: output };
    const result = [{ functionResponse: { id, name, response } }];
    const tokens = { input: 3000, output: 100, cached: 0, thoughts: 0, tool: 0, total: 3100 };
    const call = { id, name, args, result, status, timestamp: this.time };
    this.#message("gemini", { content: "", tokens, model: "gemini-2.5-pro", toolCalls: [call] });
    this.#message("user", { content: result });
  }

  read(path, lines) {
    this.#call("read_file", { file_path: path }, lines.join("\n"));
  }

  edit({ path, before, after, content, isNew, fails }) {
    const status = fails ? "error" : "success";
    const place = join(this.repo, path);
    if (content !== undefined) {
      const said = isNew
        ? `Successfully created and wrote to new file: ${place}.`
        : `Successfully overwrote file: ${place}.`;
      this.#call("write_file", { file_path: path, content }, said, status);
    } else {
      const said = fails
        ? "Failed to edit, 0 occurrences found."
        : `Successfully modified file: ${place} (1 replacements).`;
      this.#call(
        "replace",
        { file_path: path, instruction: "Change it.", old_string: before, new_string: after },
        said,
        status,
      );
    }
  }

  shell(command) {
    this.#call("run_shell_command", { command }, "");
  }
}

const FORMATS = { claude: Claude, codex: Codex, gemini: Gemini, pi: Pi, copilot: Copilot };
