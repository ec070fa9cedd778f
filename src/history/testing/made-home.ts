/** For tests: a home with sessions of two agents in their real layouts, and typical changes to them. */
import { appendFileSync, mkdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

type Json = Record<string, unknown>;

export class MadeHome {
  readonly home: string;
  claude: string[] = [];
  codex: string[] = [];
  #seed: number;
  #clock = Date.parse("2026-05-01T10:00:00Z");
  /** Every change gets its own time, long past, so that files count as settled. */
  #changes = Date.parse("2026-06-01T00:00:00Z");

  constructor(home: string, seed: number) {
    this.home = home;
    this.#seed = seed * 7919;
    for (let i = 0; i < 4; i++) this.add();
  }

  get count(): number {
    return this.claude.length + this.codex.length;
  }

  /** A change to files. */
  change(): void {
    const path = this.#pick([...this.claude, ...this.codex]);
    if (path === undefined || this.#random(4) === 0) return void this.add();
    const isClaude = this.claude.includes(path);
    switch (this.#random(8)) {
      case 0:
        return this.#remove(path);
      case 1:
        return this.#changed(path, () => truncateSync(path, this.#random(readFileSync(path).length)));
      case 2:
        return this.#changed(path, () =>
          writeFileSync(path, isClaude ? this.#claudeText(path) : this.#codexText(path)),
        );
      case 3:
        return isClaude ? this.#addHelper(path) : this.grow(path);
      case 4:
      case 5:
        return isClaude ? this.#forkClaude(path) : this.#forkCodex(path);
      default:
        return this.grow(path);
    }
  }

  add(): string {
    const id = this.#uuid();
    const isClaude = this.#random(3) > 0;
    const path = isClaude ? this.#claudePath(id) : this.#codexPath(id);
    (isClaude ? this.claude : this.codex).push(path);
    this.#changed(path, () => writeFileSync(path, isClaude ? this.#claudeText(path) : this.#codexText(path)));
    return path;
  }

  grow(path: string): void {
    const isClaude = this.claude.includes(path);
    this.#changed(path, () => appendFileSync(path, lines(isClaude ? this.#claudeTurn(path) : this.#codexTurn(path))));
  }

  #remove(path: string): void {
    rmSync(path, { force: true });
    this.claude = this.claude.filter((other) => other !== path);
    this.codex = this.codex.filter((other) => other !== path);
  }

  #changed(path: string, change: () => void): void {
    mkdirSync(dirname(path), { recursive: true });
    change();
    this.#changes += 1000;
    utimesSync(path, this.#changes / 1000, this.#changes / 1000);
  }

  #claudePath(id: string): string {
    return join(this.home, `.claude/projects/-home-user-dev-${this.#random(2)}/${id}.jsonl`);
  }

  #claudeText(path: string): string {
    const start = this.#random(2) === 0 ? [{ type: "queue-operation", timestamp: this.#tick() }] : [];
    return lines([...start, ...this.#claudeTurn(path), ...this.#claudeTurn(path)]);
  }

  #claudeTurn(path: string, more: Json = {}): Json[] {
    const common = {
      sessionId: basename(path, ".jsonl"),
      cwd: `/home/user/${/dev-\d/.exec(path)![0]}`,
      gitBranch: this.#pick(["main", "dev"]),
      version: "2.1.325",
      isSidechain: false,
      ...more,
    };
    const [prompt, call, answer] = [this.#uuid(), this.#uuid(), this.#uuid()];
    const tool = `toolu_${this.#random(1e9)}`;
    const reply = (uuid: string, parentUuid: string, content: Json): Json => ({
      parentUuid,
      ...common,
      type: "assistant",
      uuid,
      timestamp: this.#tick(),
      requestId: `req_${this.#random(1e9)}`,
      message: {
        id: `msg_${this.#random(1e9)}`,
        role: "assistant",
        model: this.#pick(["claude-opus-5", "claude-sonnet-5", "nobody-knows-9"]),
        content: [content],
        stop_reason: this.#pick(["end_turn", null]),
        usage: { input_tokens: this.#random(500), output_tokens: this.#random(900), cache_read_input_tokens: 1000 },
      },
    });
    return [
      {
        parentUuid: null,
        ...common,
        type: "user",
        uuid: prompt,
        timestamp: this.#tick(),
        message: { role: "user", content: `prompt ${this.#random(1000)}` },
      },
      reply(call, prompt, { type: "tool_use", id: tool, name: "Bash", input: {} }),
      {
        parentUuid: call,
        ...common,
        type: "user",
        uuid: this.#uuid(),
        timestamp: this.#tick(),
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: tool, content: "ok" }] },
      },
      reply(answer, call, { type: "text", text: "done" }),
    ];
  }

  /** Copies all records under another id, with or without a date of the copy itself. */
  #forkClaude(path: string): void {
    const copy = this.#claudePath(this.#uuid());
    const id = basename(path, ".jsonl");
    const text = readFileSync(path, "utf8").replaceAll(id, basename(copy, ".jsonl"));
    const start = this.#random(2) === 0 ? lines([{ type: "queue-operation", timestamp: this.#tick() }]) : "";
    this.claude.push(copy);
    this.#changed(copy, () => writeFileSync(copy, start + text + lines(this.#claudeTurn(copy))));
  }

  #addHelper(path: string): void {
    const agentId = this.#random(1e6).toString(16);
    const helper = join(dirname(path), basename(path, ".jsonl"), `subagents/agent-${agentId}.jsonl`);
    this.#changed(helper, () => writeFileSync(helper, lines(this.#claudeTurn(path, { isSidechain: true, agentId }))));
  }

  #codexPath(id: string): string {
    return join(this.home, `.codex/sessions/2026/05/01/rollout-2026-05-01T10-00-00-${id}.jsonl`);
  }

  #codexText(path: string, meta: Json = {}): string {
    const id = codexId(path);
    const header = { id, timestamp: this.#tick(), cwd: "/home/user/dev-1", cli_version: "0.166.0", ...meta };
    const start = { timestamp: this.#tick(), ordinal: 0, type: "session_meta", payload: header };
    return lines([start, ...this.#codexTurn(path)]);
  }

  #codexTurn(path: string): Json[] {
    const id = codexId(path);
    const record = (type: string, payload: Json): Json => ({
      timestamp: this.#tick(),
      ordinal: 1 + this.#random(1e6),
      type,
      payload,
    });
    const usage = {
      input_tokens: 1000 + this.#random(1000),
      cached_input_tokens: 10,
      output_tokens: this.#random(500),
    };
    return [
      record("turn_context", {
        turn_id: this.#uuid(),
        cwd: "/home/user/dev-1",
        model: this.#pick(["gpt-5.4", "gpt-5.5"]),
      }),
      record("event_msg", { type: "user_message", message: `ask ${this.#random(1000)}` }),
      record("response_item", { type: "message", role: "assistant", content: [{ type: "output_text", text: "yes" }] }),
      record("token_usage_record", { thread_id: id, response_id: `resp_${this.#random(1e9)}`, usage }),
    ];
  }

  /** Refers to the other file without copying it. */
  #forkCodex(path: string): void {
    const fork = this.#codexPath(this.#uuid());
    const base = { thread_id: codexId(path), end_ordinal_exclusive: 1e7, end_byte_offset: 1e9 };
    this.codex.push(fork);
    const text = this.#codexText(fork, { forked_from_id: codexId(path), history_base: base });
    this.#changed(fork, () => writeFileSync(fork, text));
  }

  #tick(): string {
    this.#clock += 1000 * (1 + this.#random(400));
    return new Date(this.#clock).toISOString();
  }

  #pick<T>(items: readonly T[]): T | undefined {
    return items[this.#random(items.length)];
  }

  #random(below: number): number {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647;
    return this.#seed % Math.max(1, below);
  }

  #uuid(): string {
    const hex = Array.from({ length: 4 }, () => this.#random(0x1_0000).toString(16).padStart(4, "0"));
    return `${hex[0]}${hex[1]}-${hex[2]}-4${hex[3]!.slice(1)}-8000-${hex[3]}${hex[0]}${hex[2]}`;
  }
}

function codexId(path: string): string {
  return basename(path, ".jsonl").slice("rollout-2026-05-01T10-00-00-".length);
}

function lines(records: readonly Json[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}
