/** What those that only count a thread, bill it or look for its title have in common: the scanner's module knows what records mean. */
import { asTime, type Json } from "../../lib/fields.ts";
import { SCRATCH } from "../../lib/json-line-paths.ts";
import { MOVED, NULL, OBJECT, STRING } from "../../lib/json-lines.ts";
import { putLatin1 } from "../../lib/latin1.ts";
import { parseRecord } from "../../lib/jsonl.ts";
import { titleFrom } from "../../lib/text.ts";
import { PackedRows, startRows, titleJson, type RowPieces } from "../packed-rows.ts";
import { uuidTime } from "./copied-history.ts";
import { promptText } from "./prompt-text.ts";
import { IDLE_EVENTS, IDLE_ITEMS, IGNORED_ITEMS, IGNORED_TYPES } from "./record-types.ts";
import { RolloutRecord } from "./rollout-record.ts";
import { RolloutScan, type RolloutExports } from "./rollout-scan.ts";

/** In the order of wasm/codex/thread.ts: what the types of records, events, completed items and response items mean. */
const CLASSES: Record<string, number>[] = [
  {
    ...all(IGNORED_TYPES, 1),
    session_meta: 2,
    turn_context: 3,
    token_usage_record: 4,
    event_msg: 5,
    response_item: 6,
  },
  {
    ...all(IDLE_EVENTS, 1),
    ...all(["task_started", "turn_started"], 2),
    user_message: 3,
    token_count: 4,
    ...all(["task_complete", "turn_complete"], 5),
    item_completed: 6,
    thread_settings_applied: 7,
  },
  { ...all(IDLE_ITEMS, 1), UserMessage: 2 },
  {
    ...all(IGNORED_ITEMS, 1),
    message: 2,
    reasoning: 3,
    ...all(["function_call", "custom_tool_call", "local_shell_call", "tool_search_call", "image_generation_call"], 4),
    web_search_call: 5,
    ...all(["function_call_output", "custom_tool_call_output", "tool_search_output"], 6),
  },
];

function all(types: readonly string[], value: number): Record<string, number> {
  return Object.fromEntries(types.map((type) => [type, value]));
}

/** What the module stopped at. */
export const PROMPT = 1;
export const FILE_HEADER = 2;
const MODELS = 16_136;
// Where it keeps what it found; the same numbers are in wasm/codex/head.ts.
export const FACTS = 11_720;
export const TEXTS = (FACTS + 32) >> 2;
const TITLE_LENGTH = (FACTS + 56) >> 2;
const TITLE_CUT = 0x1_0000;
/** What those answer that pack a row. */
const [PACKED, ODD_TITLE] = [1, 2];
type PackRow = RolloutExports["packHead"];

export class ThreadScanner extends RolloutScan {
  readonly #fields = ["id", "timestamp", "cwd", "cli_version", "forked_from_id", "parent_thread_id"].map(
    (name) => [name, this.field(`payload.${name}`)] as const,
  );
  readonly #branch = this.field("payload.git.branch");
  readonly #source = this.field("payload.source");
  readonly #base = this.field("payload.history_base");

  constructor() {
    super();
    CLASSES.forEach((classes, table) => {
      for (const [type, value] of Object.entries(classes)) this.exports.setClass(table, this.wordId(type), value);
    });
  }

  /** Takes the header; undefined when where it lies is told somewhere else. */
  begin(): Json | undefined {
    const header = this.#header();
    if (!header?.["cwd"]) return undefined;
    const isSubagent = (header["source"] as Json | undefined)?.["subagent"] != null;
    const startedMs = uuidTime(String(header["id"])) || (asTime(header["timestamp"]) ?? 0);
    this.exports.beginThread(startedMs, isSubagent || header["forked_from_id"] != null ? 1 : 0);
    return header;
  }

  /** What the file of the header is built on; undefined when that is nothing, or is told in another way than usual. */
  protected baseOfHeader(): Json | undefined {
    return this.kind(this.#base) === OBJECT ? { history_base: this.object(this.#base) } : undefined;
  }

  /** The facts of the header; of one that holds more than most, all of it. */
  #header(): Json | undefined {
    const base = this.kind(this.#base);
    let isUnusual = base > NULL && base !== OBJECT;
    const header: Json = {};
    // Beside them lie all instructions.
    if (this.kind(this.#source) === OBJECT) header["source"] = this.object(this.#source);
    if (base === OBJECT) header["history_base"] = this.object(this.#base);
    for (const [name, field] of this.#fields) {
      const kind = this.kind(field);
      if (kind === STRING) header[name] = this.text(field);
      else if (kind > NULL) isUnusual = true;
    }
    const branch = this.kind(this.#branch);
    if (branch === STRING) header["git"] = { branch: this.text(this.#branch) };
    else if (branch > NULL) isUnusual = true;
    return isUnusual ? (parseRecord(this.line())?.["payload"] as Json | undefined) : header;
  }

  /** Begins rows of a list. */
  startRows(pieces: RowPieces): void {
    startRows(this.exports, pieces, (text) => this.put(text));
  }

  rows(): PackedRows {
    return new PackedRows(this.exports, (text) => this.put(text));
  }

  /** Packs the row of a thread whose facts were noted; false when they are out of the ordinary. */
  protected isPacked(pack: PackRow, threadId: string, archived: boolean): boolean {
    const idLength = putLatin1(this.bytes, threadId, SCRATCH);
    const isArchived = archived ? 1 : 0;
    let packed = pack(SCRATCH, idLength, 0, 0, isArchived);
    if (packed >= MOVED) this.look();
    if ((packed & ~MOVED) === ODD_TITLE) {
      const title = SCRATCH + idLength;
      packed = pack(SCRATCH, idLength, title, this.bytes.write(titleJson(this.notedTitle()), title), isArchived);
      if (packed >= MOVED) this.look();
    }
    return (packed & ~MOVED) === PACKED;
  }

  protected notedTitle(): string {
    const made = this.ints[TITLE_LENGTH]!;
    if (made < 0) return titleFrom(this.notedText(TEXTS + 4));
    const start = this.exports.titleText();
    const text = this.bytes.toString("latin1", start, start + (made & 0xff));
    return made >= TITLE_CUT ? `${text}…` : text;
  }

  /** A text the module has noted. */
  protected notedText(place: number): string | undefined {
    const length = this.ints[place + 1]!;
    return length === 0 ? undefined : this.stringAt(this.exports.textPool() + this.ints[place]!, length);
  }

  protected mostUsedModel(): string | undefined {
    this.look();
    let best = 0;
    let most = 0;
    for (let i = 0; i < this.exports.modelCount(); i++) {
      const place = (MODELS >> 2) + 2 * i;
      if (this.ints[place + 1]! >= most) [best, most] = [this.ints[place]!, this.ints[place + 1]!];
    }
    const model = best === 0 ? this.exports.latestModel() : best;
    return model === 0 ? undefined : this.wordText(model);
  }

  protected ancestors(): string[] {
    const { exports } = this;
    this.look();
    const pool = exports.textPool();
    const ids = Array.from({ length: exports.ancestorCount() }, (_, index) =>
      this.textAt(pool + exports.ancestorAt(index), exports.ancestorLengthAt(index)),
    );
    return [...new Set(ids)];
  }
}

export function promptOf(line: Buffer): string | undefined {
  const object = parseRecord(line);
  if (object === undefined) return undefined;
  return promptText({ record: RolloutRecord.fromObject(object), foreign: false, ofSubagent: false }, "events");
}
