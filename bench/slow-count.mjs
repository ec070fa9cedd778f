/**
 * Counts the billed requests of a generated corpus independently of the product: every line parsed, every rule written again.
 * Claude Code repeats a reply's usage, so the largest counts; Codex totals count when they change.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const KINDS = ["input", "cached", "cacheWrite", "cacheWrite1h", "output", "thinking"];

/** The sums, and the number of requests by token counts: `claude 3,0,12,0,7,0` means 3 input, none cached and so on. */
export function slowCount(home) {
  const sum = { requests: 0, ...Object.fromEntries(KINDS.map((kind) => [kind, 0])) };
  const alike = new Map();
  for (const [agent, requests] of Object.entries({ claude: claude(home), codex: codex(home) })) {
    for (const tokens of requests.values()) {
      sum.requests++;
      for (const kind of KINDS) sum[kind] += tokens[kind];
      const name = `${agent} ${KINDS.map((kind) => tokens[kind])}`;
      alike.set(name, (alike.get(name) ?? 0) + 1);
    }
  }
  return { ...sum, alike };
}

function* recordsBelow(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* recordsBelow(path);
    else if (entry.name.endsWith(".jsonl"))
      yield readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line));
  }
}

function claude(home) {
  const replies = new Map();
  for (const records of recordsBelow(join(home, ".claude"))) {
    for (const { type, message, isApiErrorMessage } of records) {
      if (type !== "assistant" || !message.usage || isApiErrorMessage || message.model === "<synthetic>") continue;
      const { usage } = message;
      const write1h = usage.cache_creation?.ephemeral_1h_input_tokens ?? 0;
      const write5m = usage.cache_creation?.ephemeral_5m_input_tokens ?? 0;
      const tokens = {
        input: usage.input_tokens ?? 0,
        cached: usage.cache_read_input_tokens ?? 0,
        cacheWrite: Math.max(usage.cache_creation_input_tokens ?? 0, write1h + write5m),
        cacheWrite1h: write1h,
        output: usage.output_tokens ?? 0,
        thinking: usage.output_tokens_details?.thinking_tokens ?? 0,
      };
      const known = replies.get(message.id);
      if (!known) replies.set(message.id, tokens);
      else for (const kind of KINDS) known[kind] = Math.max(known[kind], tokens[kind]);
    }
  }
  return replies;
}

function codex(home) {
  const requests = new Map();
  for (const records of recordsBelow(join(home, ".codex"))) {
    let turn = "";
    let lastTotal = "";
    let isRecorded = false;
    const thread = records[0].payload.id;
    for (const { type, payload } of records) {
      if (type === "turn_context" || payload.type === "task_started") turn = payload.turn_id ?? turn;
      if (type === "token_usage_record") {
        isRecorded = true;
        if (payload.thread_id === thread) requests.set(payload.response_id, tokensOf(payload.usage));
      } else if (payload.type === "token_count" && payload.info) {
        const total = JSON.stringify(payload.info.total_token_usage);
        const isNew = total !== lastTotal && !isRecorded;
        lastTotal = total;
        isRecorded = false;
        if (isNew) requests.set(`${turn} ${total}`, tokensOf(payload.info.last_token_usage));
      }
    }
  }
  return requests;
}

function tokensOf(usage) {
  const cached = usage.cached_input_tokens ?? 0;
  const cacheWrite = usage.cache_write_input_tokens ?? 0;
  return {
    input: usage.input_tokens - cached - cacheWrite,
    cached,
    cacheWrite,
    cacheWrite1h: 0,
    output: usage.output_tokens,
    thinking: usage.reasoning_output_tokens ?? 0,
  };
}
