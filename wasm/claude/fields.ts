/** The fields of a Claude Code record, and words that occur in them. */

// In the order of FIELDS in src/agents/claude/record-fields.ts.
export const TYPE: usize = 0;
export const TIMESTAMP: usize = 1;
export const UUID: usize = 2;
export const PARENT_UUID: usize = 3;
export const LOGICAL_PARENT_UUID: usize = 4;
export const IS_SIDECHAIN: usize = 5;
export const IS_META: usize = 6;
export const IS_COMPACT_SUMMARY: usize = 7;
export const IS_API_ERROR_MESSAGE: usize = 8;
export const IS_ABORTED_MID_STREAM: usize = 9;
export const CWD: usize = 10;
export const GIT_BRANCH: usize = 11;
export const VERSION: usize = 12;
export const REQUEST_ID: usize = 13;
export const AGENT_ID: usize = 14;
export const FORKED_FROM: usize = 15;
export const COST_USD: usize = 16;
export const EXPLICIT: usize = 17;
export const ATTACHMENT_TYPE: usize = 18;
export const MESSAGE_ID: usize = 19;
export const MODEL: usize = 20;
export const STOP_REASON: usize = 21;
export const CONTENT: usize = 22;
export const USAGE: usize = 23;
export const INPUT_TOKENS: usize = 24;
export const OUTPUT_TOKENS: usize = 25;
export const CACHE_READ: usize = 26;
export const CACHE_WRITE: usize = 27;
export const CACHE_WRITE_5M: usize = 28;
export const CACHE_WRITE_1H: usize = 29;
export const THINKING_TOKENS: usize = 30;
export const WEB_SEARCHES: usize = 31;
export const SPEED: usize = 32;
export const INFERENCE_GEO: usize = 33;
export const SUBTYPE: usize = 34;
export const AI_TITLE: usize = 35;
export const CUSTOM_TITLE: usize = 36;
export const SEARCH_COUNT: usize = 37;

// Fields of the items of a message's content.
export const BLOCK_TYPE: i32 = 0;
export const BLOCK_ID: i32 = 1;
export const BLOCK_TOOL_USE_ID: i32 = 2;
export const BLOCK_NAME: i32 = 3;

// In the order of WORDS there.
export const USER: usize = 0;
export const ASSISTANT: usize = 1;
export const SYSTEM: usize = 2;
export const ATTACHMENT: usize = 3;
export const LAST_PROMPT: usize = 4;
export const QUEUED_COMMAND: usize = 5;
export const SYNTHETIC: usize = 6;
export const TOOL_RESULT: usize = 7;
export const TOOL_USE: usize = 8;
export const SERVER_TOOL_USE: usize = 9;
export const MCP_TOOL_USE: usize = 10;
export const QUEUE_OPERATION: usize = 11;
export const COST: usize = 12;
export const COST_STATE: usize = 13;
export const AI_TITLE_RECORD: usize = 14;
export const CUSTOM_TITLE_RECORD: usize = 15;
export const AGENT_NAME: usize = 16;
export const WEB_SEARCH: usize = 17;
