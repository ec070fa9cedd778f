/** The fields of a Codex record, and words that occur in them. */

// In the order of FIELDS in src/agents/codex/rollout-scan.ts.
export const TYPE: usize = 0;
export const TIMESTAMP: usize = 1;
export const ORDINAL: usize = 2;
export const PAYLOAD: usize = 3;
export const INNER_TYPE: usize = 4;
export const ITEM: usize = 5;
export const ITEM_TYPE: usize = 6;
export const THREAD_ID: usize = 7;
export const RESPONSE_ID: usize = 8;
export const INFO: usize = 9;
// Input, cache reads, cache writes, output, reasoning; of totals without cache writes.
export const LAST_TOKENS: usize = 10;
export const TOTAL_TOKENS: usize = 15;
export const USAGE_TOKENS: usize = 19;
export const THREAD_TOKENS: usize = 24;
export const ROLE: usize = 28;
export const METADATA: usize = 29;
export const ERROR: usize = 30;
export const HEADER_ID: usize = 31;
export const HEADER_CWD: usize = 32;
export const HEADER_TIME: usize = 33;
export const CLI_VERSION: usize = 34;
export const GIT_BRANCH: usize = 35;
export const FORKED_FROM: usize = 36;
export const PARENT_THREAD: usize = 37;
export const SOURCE: usize = 38;
export const HISTORY_BASE: usize = 39;
export const TURN_ID: usize = 40;
export const MODEL: usize = 41;
export const KIND: usize = 42;
export const SERVICE_TIER: usize = 43;
export const ACTION_TYPE: usize = 44;
export const PROMPT_TEXT: usize = 45;
export const SUBAGENT: usize = 46;
export const SPAWNED_BY: usize = 47;
// Of each part of an item's content.
export const ITEM_TEXT_TYPE: i32 = 0;
export const ITEM_TEXT: i32 = 1;

// In the order of WORDS there.
export const EVENT_MSG: usize = 0;
export const RESPONSE_ITEM: usize = 1;
export const ITEM_COMPLETED: usize = 2;
export const TOKEN_COUNT: usize = 3;
export const TOKEN_USAGE_RECORD: usize = 4;
export const SESSION_META: usize = 5;
export const MESSAGE: usize = 6;
export const TASK_COMPLETE: usize = 7;
export const TURN_COMPLETE: usize = 8;
export const USER: usize = 9;
export const ASSISTANT: usize = 10;
export const PLAIN_KIND: usize = 11;
export const SEARCH: usize = 12;
export const AUTO_REVIEW: usize = 13;
export const TEXT: usize = 14;
