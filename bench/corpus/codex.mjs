/**
 * Codex sessions of two generations. Legacy (0.128) repeats token counts and copies the parent into forks; paginated (0.166) has
 * ordinals, usage records and forks that point at the parent. In both, a fork's totals include its parent's.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Clock } from "./clock.mjs";
import { bytesIn, LineFile } from "./line-file.mjs";
import { addMessages, Bill, noMessages } from "./totals.mjs";

const MODELS = { legacy: ["gpt-5-codex", "gpt-5.2-codex"], paginated: ["gpt-5.5", "gpt-5.4"] };
const CONTEXT_WINDOW = 258_400;

export function writeCodexSession({ random, text, home, startMs, cwd, targetBytes, needles, parent, hasHelpers }) {
  const isPaginated = parent?.isPaginated ?? random.chance(0.5);
  const id = random.uuidAt(startMs);
  const session = {
    agent: "codex",
    id,
    cwd,
    isPaginated,
    needles: [...needles],
    messages: noMessages(),
    bill: new Bill(),
    subagents: { transcripts: 0, messages: noMessages(), bill: new Bill() },
    traps: { repeatedUsage: 0, copiedRequests: 0, injectedRecords: 0 },
    canBeForked: true,
    files: [],
    /** Ends of turns: where a fork can begin. */
    boundaries: [],
  };
  const isFull = () => thread.file.bytes + bytesIn(session.files) >= targetBytes;
  const world = { random, text, clock: new Clock(random, startMs), cwd, home, session, hasHelpers, isFull };
  const thread = new Thread(world, {
    id,
    model: random.pick(MODELS[isPaginated ? "paginated" : "legacy"]),
    messages: session.messages,
    bill: session.bill,
  });
  if (parent) thread.forkFrom(parent);
  else thread.begin({});
  const pending = [...needles];
  do {
    thread.turn(pending.splice(0));
    session.boundaries.push(thread.boundary());
  } while (!isFull());
  thread.close();
  session.endMs = world.clock.ms;
  return session;
}

function rolloutPath(home, id, startMs) {
  const [date, time] = new Date(startMs).toISOString().slice(0, 19).split("T");
  const name = `rollout-${date}T${time.replaceAll(":", "-")}-${id}.jsonl`;
  return join(home, ".codex/sessions", ...date.split("-"), name);
}

/** One rollout file: a session's, or a sub-agent's. */
class Thread {
  file;
  #world;
  #options;
  #total = noUsage();
  #ordinal = 0;

  constructor(world, options) {
    this.#world = world;
    this.#options = options;
    this.file = new LineFile(rolloutPath(world.home, options.id, world.clock.ms));
  }

  begin(meta) {
    const { random, text, clock, cwd, session } = this.#world;
    const { id, parentId } = this.#options;
    const source = parentId
      ? {
          subagent: {
            thread_spawn: { parent_thread_id: parentId, depth: 1, agent_nickname: "Ada", agent_role: "explorer" },
          },
        }
      : "cli";
    this.#write("session_meta", {
      ...(session.isPaginated ? { session_id: parentId ?? id } : {}),
      id,
      ...(parentId ? { parent_thread_id: parentId } : {}),
      ...meta,
      timestamp: clock.now(),
      cwd,
      originator: "codex-tui",
      cli_version: session.isPaginated ? "0.166.0" : "0.128.0",
      source,
      model_provider: "openai",
      base_instructions: { text: text.lines(6_000) },
      ...(session.isPaginated ? { history_mode: "paginated" } : {}),
      git: { commit_hash: random.hex(40), branch: "main" },
    });
  }

  forkFrom(parent) {
    const { random, clock, session } = this.#world;
    const point = session.isPaginated ? random.pick(parent.boundaries) : parent.boundaries.at(-1);
    session.forkedFrom = parent.id;
    addMessages(session.messages, point.messages);
    session.needles.push(...parent.needles);
    this.#total = { ...point.total };
    if (session.isPaginated) {
      this.#ordinal = point.ordinal;
      const base = { thread_id: parent.id, end_ordinal_exclusive: point.ordinal, end_byte_offset: point.bytes };
      this.begin({ forked_from_id: parent.id, forked_from_ordinal_exclusive: point.ordinal, history_base: base });
    } else {
      session.traps.copiedRequests = parent.bill.requests + parent.traps.copiedRequests;
      this.begin({ forked_from_id: parent.id });
      const stamp = `"timestamp":"${clock.now()}"`;
      const lines = readFileSync(parent.files.at(-1).path, "utf8").trimEnd().split("\n");
      for (const line of lines) this.file.appendLine(line.replace(/"timestamp":"[^"]*"/, stamp));
    }
  }

  turn(needles) {
    const { random, text, clock, cwd, session } = this.#world;
    clock.tick(5_000, 400_000);
    this.#message("user", `<environment_context>\n  <cwd>${cwd}</cwd>\n</environment_context>`);
    session.traps.injectedRecords++;
    this.prompt([...needles, text.lines(random.int(40, 700))].join(" "));
    this.answer(random.int(1, 14));
  }

  prompt(content) {
    const { random, clock, cwd, session } = this.#world;
    const { id, model, messages } = this.#options;
    messages.user++;
    const turnId = random.uuidAt(clock.ms);
    this.#event({ type: "task_started", turn_id: turnId, model_context_window: CONTEXT_WINDOW });
    this.#write("turn_context", {
      turn_id: turnId,
      cwd,
      approval_policy: "on-request",
      sandbox_policy: { type: "workspace-write" },
      model,
      effort: "high",
      summary: "auto",
    });
    this.#message("user", content);
    if (session.isPaginated)
      this.#item(id, { type: "UserMessage", id: random.uuidAt(clock.ms), content: [{ type: "text", text: content }] });
    else {
      this.#event({ type: "user_message", message: content, images: [] });
      this.#event({ type: "token_count", info: null, rate_limits: { primary: null, secondary: null } });
    }
  }

  /** Responses with one tool call each, and a last one with text only. */
  answer(responses) {
    for (let left = responses; left > 1 && !this.#world.isFull(); left--) this.#respond(true);
    this.#respond(false);
    this.#event({ type: "task_complete", duration_ms: 1000 });
  }

  boundary() {
    return {
      ordinal: this.#ordinal,
      bytes: this.file.bytes,
      messages: { ...this.#options.messages },
      total: { ...this.#total },
    };
  }

  close() {
    const { clock, session } = this.#world;
    this.file.close(clock.ms);
    session.files.push(this.file);
  }

  #respond(withTool) {
    const { random, text, clock, session } = this.#world;
    const { id, model, messages, bill } = this.#options;
    clock.tick(500, 9_000);
    messages.assistant++;
    this.#reason(text.words(6));
    if (!withTool) this.#say(text.lines(random.int(150, 2_500)));
    const call = withTool ? this.#call() : undefined;

    const usage = this.#usage();
    bill.add(model, {
      input: usage.input_tokens - usage.cached_input_tokens,
      cached: usage.cached_input_tokens,
      cacheWrite: 0,
      cacheWrite1h: 0,
      output: usage.output_tokens,
      thinking: usage.reasoning_output_tokens,
    });
    for (const field of Object.keys(this.#total)) this.#total[field] += usage[field];
    if (session.isPaginated)
      this.#write("token_usage_record", {
        thread_id: id,
        response_id: `resp_0${random.hex(49)}`,
        usage,
        thread_token_usage: this.#total,
      });
    this.#countTokens(usage);
    if (call) this.#output(call);
    // Again when the rate limits arrive; paginated files have the usage record as the second one.
    if (!session.isPaginated) this.#countTokens(usage);
    session.traps.repeatedUsage++;
  }

  #usage() {
    const { random } = this.#world;
    const input = random.int(2_000, 60_000);
    const output = random.int(30, 1_500);
    const cached = Math.floor(input * random.next());
    const reasoning = Math.floor(output * random.next() * 0.6);
    return {
      input_tokens: input,
      cached_input_tokens: cached,
      output_tokens: output,
      reasoning_output_tokens: reasoning,
      total_tokens: input + output,
    };
  }

  #countTokens(last) {
    this.#event({
      type: "token_count",
      info: { total_token_usage: this.#total, last_token_usage: last, model_context_window: CONTEXT_WINDOW },
      rate_limits: { primary: { used_percent: 12.5, window_minutes: 300 }, secondary: null },
    });
  }

  #reason(summary) {
    const { random, text, session } = this.#world;
    const item = `rs_0${random.hex(49)}`;
    if (session.isPaginated)
      this.#item(this.#options.id, { type: "Reasoning", id: item, summary_text: [summary], raw_content: [] });
    else this.#event({ type: "agent_reasoning", text: summary });
    this.#write("response_item", {
      type: "reasoning",
      id: item,
      summary: [{ type: "summary_text", text: summary }],
      content: null,
      encrypted_content: `gAAAAA${text.blob(random.int(600, 3_000))}`,
    });
  }

  #say(content) {
    const { random, session } = this.#world;
    const item = `msg_0${random.hex(49)}`;
    if (session.isPaginated)
      this.#item(this.#options.id, { type: "AgentMessage", id: item, content: [{ type: "Text", text: content }] });
    else this.#event({ type: "agent_message", message: content });
    this.#write("response_item", {
      type: "message",
      id: item,
      role: "assistant",
      content: [{ type: "output_text", text: content }],
    });
  }

  #call() {
    const { random, text, session, hasHelpers } = this.#world;
    const call = { id: `call_${random.base62(24)}`, command: text.words(6) };
    call.isHelper = hasHelpers && session.isPaginated && this.#options.parentId === undefined && random.chance(0.02);
    const name = call.isHelper ? "spawn_agent" : "exec_command";
    const args = call.isHelper ? { agent_type: "explorer", message: call.command } : { cmd: call.command };
    this.#write("response_item", { type: "function_call", name, arguments: JSON.stringify(args), call_id: call.id });
    return call;
  }

  #output({ id, command, isHelper }) {
    const { random, text, clock, cwd, session } = this.#world;
    this.#options.messages.tool++;
    clock.tick(50, 20_000);
    if (isHelper)
      return this.#write("response_item", {
        type: "function_call_output",
        call_id: id,
        output: JSON.stringify({ agent_id: this.#helper(command), nickname: "Ada" }),
      });
    const shown = text.lines(random.size(600, 1.2, 40_000));
    if (session.isPaginated)
      this.#item(this.#options.id, {
        type: "CommandExecution",
        id,
        command: ["/bin/bash", "-lc", command],
        cwd: `file://${cwd}`,
        status: "completed",
        aggregated_output: shown,
        exit_code: 0,
      });
    this.#write("response_item", {
      type: "function_call_output",
      call_id: id,
      output: `Chunk ID: ${random.hex(6)}\nProcess exited with code 0\nOutput:\n${shown}`,
    });
  }

  /** A sub-agent is a thread of its own; its usage is in no other file. */
  #helper(prompt) {
    const { random, clock, session } = this.#world;
    const { id: parentId, model } = this.#options;
    const id = random.uuidAt(clock.ms);
    const bill = new Bill();
    const helper = new Thread(this.#world, { id, parentId, model, messages: session.subagents.messages, bill });
    helper.begin({ thread_source: "subagent" });
    helper.prompt(prompt);
    helper.answer(random.int(2, 5));
    helper.close();
    session.subagents.transcripts++;
    session.subagents.bill.addAll(bill);
    return id;
  }

  #message(role, content) {
    this.#write("response_item", { type: "message", role, content: [{ type: "input_text", text: content }] });
  }

  #item(threadId, item) {
    this.#event({ type: "item_completed", thread_id: threadId, item });
  }

  #event(payload) {
    this.#write("event_msg", payload);
  }

  #write(type, payload) {
    const { clock, session } = this.#world;
    const ordinal = session.isPaginated ? { ordinal: this.#ordinal++ } : {};
    this.file.append({ timestamp: clock.tick(1, 40), ...ordinal, type, payload });
  }
}

function noUsage() {
  return { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, reasoning_output_tokens: 0, total_tokens: 0 };
}
