/**
 * Record types nothing is taken from. They repeat what other records say (events beside items), describe
 * the program's settings, or are internal. A type that is neither here nor read is told to the user.
 */
const IGNORED = [
  // Settings and state of the program
  "world_state",
  "record_type/state",
  "inter_agent_communication",
  "inter_agent_communication_metadata",
  "dynamic_tools_updated",
  "security_risk_score",
  "realtime_item",
  "event_msg/thread_goal_updated",
  "event_msg/thread_name_updated",
  "event_msg/session_configured",
  "event_msg/background_event",
  "event_msg/stream_error",
  "event_msg/warning",
  "event_msg/deprecation_notice",
  // Instructions to the model, snapshots, opaque compaction state
  "response_item/additional_tools",
  "response_item/compaction",
  "response_item/compaction_summary",
  "response_item/compaction_trigger",
  "response_item/context_compaction",
  "response_item/ghost_snapshot",
  "response_item/other",
  // Events that repeat an item of the same file
  "event_msg/agent_message",
  "event_msg/agent_reasoning",
  "event_msg/agent_reasoning_raw_content",
  "event_msg/agent_reasoning_section_break",
  "event_msg/context_compacted",
  "event_msg/exec_command_begin",
  "event_msg/exec_command_end",
  "event_msg/patch_apply_begin",
  "event_msg/patch_apply_end",
  "event_msg/mcp_tool_call_begin",
  "event_msg/mcp_tool_call_end",
  "event_msg/web_search_begin",
  "event_msg/web_search_end",
  "event_msg/view_image_tool_call",
  "event_msg/image_generation_end",
  "event_msg/dynamic_tool_call_request",
  "event_msg/dynamic_tool_call_response",
  "event_msg/sub_agent_activity",
  "event_msg/collab_agent_spawn_end",
  "event_msg/collab_agent_interaction_end",
  "event_msg/collab_waiting_end",
  "event_msg/collab_close_end",
  "event_msg/collab_resume_end",
  "event_msg/plan_update",
  "event_msg/turn_diff",
  "event_msg/exited_review_mode",
  "event_msg/item_started",
  "event_msg/item_completed/AgentMessage",
  "event_msg/item_completed/Reasoning",
  "event_msg/item_completed/ContextCompaction",
  "event_msg/item_completed/SubAgentActivity",
  "event_msg/item_completed/ExitedReviewMode",
  "event_msg/item_completed/HookPrompt",
  "event_msg/item_completed/Plan",
  "event_msg/item_completed/Sleep",
  "event_msg/item_completed/WebSearch",
  "event_msg/item_completed/ImageView",
  "event_msg/item_completed/ImageGeneration",
];

const READ = [
  "session_meta",
  "turn_context",
  "compacted",
  "token_usage_record",
  "response_item/message",
  "response_item/agent_message",
  "response_item/reasoning",
  "response_item/function_call",
  "response_item/custom_tool_call",
  "response_item/local_shell_call",
  "response_item/tool_search_call",
  "response_item/web_search_call",
  "response_item/image_generation_call",
  "response_item/function_call_output",
  "response_item/custom_tool_call_output",
  "response_item/tool_search_output",
  "event_msg/user_message",
  "event_msg/token_count",
  "event_msg/task_started",
  "event_msg/turn_started",
  "event_msg/task_complete",
  "event_msg/turn_complete",
  "event_msg/turn_aborted",
  "event_msg/error",
  "event_msg/thread_rolled_back",
  "event_msg/thread_settings_applied",
  "event_msg/entered_review_mode",
  "event_msg/item_completed/UserMessage",
  "event_msg/item_completed/EnteredReviewMode",
  "event_msg/item_completed/CommandExecution",
  "event_msg/item_completed/FileChange",
  "event_msg/item_completed/McpToolCall",
  "event_msg/item_completed/DynamicToolCall",
  "event_msg/item_completed/CollabAgentToolCall",
];

/** Items that only tell more about a call which has a record of its own: of no interest to who only counts. */
const TOOL_ITEMS = ["CommandExecution", "FileChange", "McpToolCall", "DynamicToolCall", "CollabAgentToolCall"];
const EVENT = "event_msg/";
const ITEM = "event_msg/item_completed/";

/** Types of events that change no count and no bill. */
export const IDLE_EVENTS = IGNORED.filter((type) => type.startsWith(EVENT) && !type.startsWith(ITEM)).map((type) =>
  type.slice(EVENT.length),
);
/** The same of completed items. */
export const IDLE_ITEMS = [
  ...IGNORED.filter((type) => type.startsWith(ITEM)).map((type) => type.slice(ITEM.length)),
  ...TOOL_ITEMS,
];

/** Types of records, and of response items, nothing is taken from. */
export const IGNORED_TYPES = IGNORED.filter((type) => !type.includes("/"));
const RESPONSE = "response_item/";
export const IGNORED_ITEMS = IGNORED.filter((type) => type.startsWith(RESPONSE)).map((type) =>
  type.slice(RESPONSE.length),
);

const KNOWN = new Set([...IGNORED, ...READ]);

export function isKnownType(type: string): boolean {
  return KNOWN.has(type);
}

/** Nothing of these is part of a message, though something may be read from them. */
export const SILENT_TYPES = [
  ...IGNORED,
  ...TOOL_ITEMS.map((item) => ITEM + item),
  "turn_context",
  "token_usage_record",
  "event_msg/token_count",
  "event_msg/task_started",
  "event_msg/turn_started",
  "event_msg/thread_rolled_back",
  "event_msg/thread_settings_applied",
];
const SILENT = new Set(SILENT_TYPES);

export function isSilent(type: string): boolean {
  return SILENT.has(type);
}
