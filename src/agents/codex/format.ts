/**
 * The format of Codex's rollouts. Only this file and format-items.ts name fields and record types, so that a renamed field is a
 * change in one place.
 */
import { asArray, asNumber, asObject, asText, asTime, type Json } from "../../lib/json/fields.ts";
import type { ReadOnlyDatabase } from "../../lib/sqlite/sqlite.ts";

/** Record types that are read: `turn_context`, `response_item/message`, `event_msg/item_completed/UserMessage`. */
export const KIND = {
  header: "session_meta",
  settings: "turn_context",
  summary: "compacted",
  usage: "token_usage_record",
  message: "response_item/message",
  agentMessage: "response_item/agent_message",
  reasoning: "response_item/reasoning",
  functionCall: "response_item/function_call",
  customCall: "response_item/custom_tool_call",
  shellCall: "response_item/local_shell_call",
  toolSearch: "response_item/tool_search_call",
  webSearch: "response_item/web_search_call",
  imageCall: "response_item/image_generation_call",
  functionOutput: "response_item/function_call_output",
  customOutput: "response_item/custom_tool_call_output",
  toolsFound: "response_item/tool_search_output",
  prompt: "event_msg/user_message",
  tokenCount: "event_msg/token_count",
  taskStarted: "event_msg/task_started",
  turnStarted: "event_msg/turn_started",
  taskComplete: "event_msg/task_complete",
  turnComplete: "event_msg/turn_complete",
  turnAborted: "event_msg/turn_aborted",
  error: "event_msg/error",
  rolledBack: "event_msg/thread_rolled_back",
  settingsApplied: "event_msg/thread_settings_applied",
  review: "event_msg/entered_review_mode",
  promptItem: "event_msg/item_completed/UserMessage",
  reviewItem: "event_msg/item_completed/EnteredReviewMode",
  commandItem: "event_msg/item_completed/CommandExecution",
  fileItem: "event_msg/item_completed/FileChange",
  mcpItem: "event_msg/item_completed/McpToolCall",
  dynamicItem: "event_msg/item_completed/DynamicToolCall",
  collabItem: "event_msg/item_completed/CollabAgentToolCall",
} as const;

/**
 * Ignored types. They repeat other records (events beside items), describe settings, or are internal. A type that is neither here
 * nor read is reported to the user.
 */
const IGNORED = [
  ...words(
    "",
    `world_state record_type/state inter_agent_communication inter_agent_communication_metadata
    dynamic_tools_updated security_risk_score realtime_item`,
  ),
  ...words(
    "response_item/",
    `additional_tools compaction compaction_summary compaction_trigger context_compaction
    ghost_snapshot other`,
  ),
  ...words(
    "event_msg/",
    `thread_goal_updated thread_name_updated session_configured background_event stream_error warning
    deprecation_notice agent_message agent_reasoning agent_reasoning_raw_content agent_reasoning_section_break
    context_compacted exec_command_begin exec_command_end patch_apply_begin patch_apply_end mcp_tool_call_begin
    mcp_tool_call_end web_search_begin web_search_end view_image_tool_call image_generation_end dynamic_tool_call_request
    dynamic_tool_call_response sub_agent_activity collab_agent_spawn_end collab_agent_interaction_end collab_waiting_end
    collab_close_end collab_resume_end plan_update turn_diff exited_review_mode item_started`,
  ),
  ...words(
    "event_msg/item_completed/",
    `AgentMessage Reasoning ContextCompaction SubAgentActivity ExitedReviewMode HookPrompt
    Plan Sleep WebSearch ImageView ImageGeneration`,
  ),
];

function words(before: string, text: string): string[] {
  return text
    .trim()
    .split(/\s+/)
    .map((word) => before + word);
}

const KNOWN: ReadonlySet<string> = new Set([...IGNORED, ...Object.values(KIND)]);

export function isKnownType(type: string): boolean {
  return KNOWN.has(type);
}

const CALLS: ReadonlySet<string> = new Set([
  KIND.functionCall,
  KIND.customCall,
  KIND.shellCall,
  KIND.toolSearch,
  KIND.webSearch,
  KIND.imageCall,
]);
const OUTPUTS: ReadonlySet<string> = new Set([KIND.functionOutput, KIND.customOutput, KIND.toolsFound]);
const TIMED_ITEMS: ReadonlySet<string> = new Set([
  KIND.commandItem,
  KIND.fileItem,
  KIND.mcpItem,
  KIND.dynamicItem,
  KIND.collabItem,
]);

export const isCall = (type: string): boolean => CALLS.has(type);
export const isOutput = (type: string): boolean => OUTPUTS.has(type);
/** Between a call and its output comes an item with its real duration. */
export const isTimedItem = (type: string): boolean => TIMED_ITEMS.has(type);
/** Items of the model's interface. */
export const isItem = (type: string): boolean => type.startsWith("response_item/");
export const isReview = (type: string): boolean => type === KIND.review || type === KIND.reviewItem;
/** Events during an answer, as opposed to those that begin the next one. */
export const ANSWER_EVENTS: ReadonlySet<string> = new Set([
  "event_msg/item_completed/AgentMessage",
  "event_msg/item_completed/Reasoning",
  "event_msg/agent_message",
  "event_msg/agent_reasoning",
]);
/** Records that open a turn and have its id. */
export const TURN_OPENINGS: ReadonlySet<string> = new Set([KIND.settings, KIND.taskStarted, KIND.turnStarted]);
export const WORLD_STATE = "world_state";

/** What the envelope of a record says. */
export interface Envelope {
  type: string;
  timestamp: unknown;
  ordinal?: number | undefined;
  itemThread?: string | undefined;
  bare?: boolean;
}

export function fromFields(object: Json): Envelope {
  const { timestamp } = object;
  if (!Object.hasOwn(object, "payload")) return { type: bareType(object), timestamp, bare: true };
  const payload = asObject(object["payload"]) ?? {};
  const type = asText(object["type"]) ?? "";
  const nested = type === "response_item" || type === "event_msg";
  const item = asObject(payload["item"]);
  return {
    type: typeName(type, nested ? (asText(payload["type"]) ?? "") : undefined, asText(item?.["type"])),
    timestamp,
    ordinal: asNumber(object["ordinal"]),
    itemThread: item && asText(payload["thread_id"]),
  };
}

/** `event_msg/item_completed/UserMessage` and the like. */
function typeName(type: string, inner: string | undefined, item: string | undefined): string {
  if (inner === undefined) return type;
  return inner === "item_completed" ? `${type}/${inner}/${item ?? ""}` : `${type}/${inner}`;
}

/** Before the envelope: a header, model items, and empty `state` marks. */
function bareType(object: Json): string {
  if (object["record_type"] !== undefined) return `record_type/${String(object["record_type"])}`;
  const type = asText(object["type"]);
  if (type !== undefined) return `response_item/${type}`;
  if (object["role"] !== undefined) return KIND.message;
  return object["id"] === undefined ? "" : KIND.header;
}

/** Without an envelope the record is the item. */
export function payloadOf(object: Json): Json {
  return asObject(object["payload"]) ?? {};
}

export const roleOf = (message: Json): unknown => message["role"];
/** The answer to a summary request, which is not a reply. */
export const isSummaryAnswer = (object: Json): boolean => asObject(object["metadata"])?.["compaction_output"] === true;

/** `{session:{id,timestamp},items:[…]}`, the oldest layout, as records. */
export function recordsInDocument(document: unknown): Json[] {
  const fields = asObject(document);
  return [fields?.["session"], ...(asArray(fields?.["items"]) ?? [])]
    .map(asObject)
    .filter((item) => item !== undefined);
}

/** A line of session_index.jsonl. */
export function threadName(record: Json): { id: string; name: string } | undefined {
  const id = asText(record["id"]);
  const name = asText(record["thread_name"])?.trim();
  return id !== undefined && name !== undefined && name !== "" ? { id, name } : undefined;
}

/** Names in state_<n>.sqlite, of newer versions; undefined in another layout. */
export function threadNamesIn(database: ReadOnlyDatabase): { id: string; name: string }[] | undefined {
  if (!database.hasColumn("threads", "id") || !database.hasColumn("threads", "name")) return undefined;
  return database
    .all("SELECT id, name FROM threads WHERE name IS NOT NULL AND trim(name) <> ''")
    .map((row) => ({ id: String(row["id"]), name: String(row["name"]).trim() }));
}

export interface ThreadHeader {
  id: string | undefined;
  startedMs: number | undefined;
  cwd: string | undefined;
  branch: string | undefined;
  commit: string | undefined;
  version: string | undefined;
  /** Started by another thread. */
  isSubagent: boolean;
  /** Its name for other agents. */
  agentPath: string | undefined;
  /** The signed-in account, in new versions. */
  account: string | undefined;
  /** Not `session_id`: that names the root of all threads, not the parent. */
  parent: string | undefined;
  isFork: boolean;
  forkedFrom: string | undefined;
  /** Forks refer to their parent's file; older ones copied it. */
  isPaginated: boolean;
}

export function headerOf(meta: Json): ThreadHeader {
  const subagent = asObject(meta["source"])?.["subagent"];
  const spawn = asObject(asObject(subagent)?.["thread_spawn"]);
  const git = asObject(meta["git"]);
  return {
    id: asText(meta["id"]),
    startedMs: asTime(meta["timestamp"]),
    cwd: asText(meta["cwd"]),
    branch: asText(git?.["branch"]),
    commit: asText(git?.["commit_hash"]),
    version: asText(meta["cli_version"]),
    isSubagent: subagent != null,
    agentPath: asText(spawn?.["agent_path"]),
    account: asText(meta["creator_account_id"]),
    parent: asText(meta["parent_thread_id"]) ?? asText(spawn?.["parent_thread_id"]),
    isFork: meta["forked_from_id"] != null,
    forkedFrom: asText(meta["forked_from_id"]),
    isPaginated: meta["history_mode"] === "paginated",
  };
}

/** Mark in the first line of a file that begins in another one. */
export const BASE_FIELD = '"history_base"';
export const BASE_MARK = `${BASE_FIELD}:{`;

export interface HistoryBase {
  /** Named thread_id in the file, but it is the id in the other file's name, which may be a segment's. */
  rolloutId: string;
  end: { ordinal: number; offset: number };
}

export function historyBase(meta: Json): HistoryBase | undefined {
  const base = asObject(meta["history_base"]);
  const rolloutId = asText(base?.["thread_id"]);
  if (rolloutId === undefined) return undefined;
  const limit = (name: string): number => asNumber(base?.[name]) ?? Number.POSITIVE_INFINITY;
  return { rolloutId, end: { ordinal: limit("end_ordinal_exclusive"), offset: limit("end_byte_offset") } };
}

/** The header line of a fork that copies its parent's records. */
export function copyingHeader(meta: Json, id: string, timestamp: string): Json {
  return { timestamp, type: KIND.header, payload: { ...meta, id, forked_from_id: meta["id"], timestamp } };
}

/** The header line of a fork that refers to a record of another file. */
export function referringHeader(
  meta: Json,
  id: string,
  timestamp: string,
  from: { threadId: string; rolloutId: string; ordinal: number; offset: number },
): Json {
  const { context_window: _, ...settings } = meta;
  const { threadId, rolloutId, ordinal, offset } = from;
  const payload = {
    ...settings,
    session_id: id,
    id,
    forked_from_id: threadId,
    forked_from_ordinal_exclusive: ordinal,
    timestamp,
    history_base: { thread_id: rolloutId, end_ordinal_exclusive: ordinal, end_byte_offset: offset },
  };
  return { timestamp, ordinal, type: KIND.header, payload };
}
