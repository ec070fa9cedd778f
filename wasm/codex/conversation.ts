/** Messages and turns of a thread, by the rules of src/agents/codex/transcript.ts for who only counts. */

let messages: u32 = 0;
let turns: u32 = 0;
/** There is a turn that nobody has answered yet. */
let isAsked: bool = false;

let hasReply: bool = false;
let isVisible: bool = false;
let replyHasUsage: bool = false;
let replyIsCopied: bool = false;
let replyModel: u32 = 0;
let hasFinished: bool = false;
let finishedHasUsage: bool = false;
let hasEarlyUsage: bool = false;
let hasReplied: bool = false;

// Replies of the thread's own by model, in the order of their last use: u32 word, u32 replies
const MODELS: usize = 16_136;
const MAX_MODELS: u32 = 16;
let models: u32 = 0;

export function forgetConversation(): void {
  messages = 0;
  turns = 0;
  isAsked = false;
  hasReply = false;
  hasFinished = false;
  hasEarlyUsage = false;
  hasReplied = false;
  models = 0;
}

export function messageCount(): u32 {
  return messages;
}
export function turnCount(): u32 {
  return turns;
}
export function replied(): bool {
  return hasReplied;
}
export function modelCount(): u32 {
  return models;
}
/** No reply of a further model can be taken. */
/** That gave most replies, of equals the one used last; 0 for none. */
export function mostUsedModel(): u32 {
  let best: u32 = 0;
  let most: u32 = 0;
  for (let i: u32 = 0; i < models; i++) {
    const place = MODELS + ((<usize>i) << 3);
    if (load<u32>(place + 4) < most) continue;
    best = load<u32>(place);
    most = load<u32>(place + 4);
  }
  return best;
}

export function areModelsFull(): bool {
  return models == MAX_MODELS;
}
export function isReplyVisible(): bool {
  return hasReply && isVisible;
}

export function startTurn(): void {
  finish();
  hasFinished = false;
  hasEarlyUsage = false;
}

export function takePrompt(): void {
  startTurn();
  messages++;
  isAsked = true;
}

export function takeToolOutput(): void {
  finish();
  messages++;
}

/** A part of a reply; one without anything a reader can see does not make it visible. */
export function takePart(visible: bool, copied: bool, model: u32): void {
  if (!hasReply) {
    hasReply = true;
    isVisible = false;
    replyHasUsage = hasEarlyUsage;
    hasEarlyUsage = false;
    replyIsCopied = copied;
    replyModel = model;
  }
  if (visible) isVisible = true;
}

/** A billed request. A record of usage ends its reply; a token count ends it, comes late, or before the items. */
export function takeUsage(isBilled: bool, isRecord: bool): void {
  if (isBilled) {
    if (hasReply && !replyHasUsage) {
      replyHasUsage = true;
      finish();
    } else if (!isRecord) {
      if (hasFinished && !finishedHasUsage) finishedHasUsage = true;
      else hasEarlyUsage = true;
    }
  }
  if (isRecord) finish();
}

export function finish(): void {
  if (!hasReply) return;
  hasReply = false;
  if (!isVisible) return;
  hasFinished = true;
  finishedHasUsage = replyHasUsage;
  messages++;
  if (isAsked) {
    turns++;
    isAsked = false;
  }
  if (replyIsCopied) return;
  hasReplied = true;
  if (replyModel != 0) countModel(replyModel);
}

/** Moves the model to the end: among equals the latest used stands last. */
function countModel(model: u32): void {
  let index: u32 = 0;
  while (index < models && load<u32>(MODELS + ((<usize>index) << 3)) != model) index++;
  let replies: u32 = 1;
  if (index == models) models++;
  else replies += load<u32>(MODELS + ((<usize>index) << 3) + 4);
  for (let i = index; i + 1 < models; i++) {
    store<u64>(MODELS + ((<usize>i) << 3), load<u64>(MODELS + ((<usize>(i + 1)) << 3)));
  }
  const last = MODELS + ((<usize>(models - 1)) << 3);
  store<u32>(last, model);
  store<u32>(last + 4, replies);
}
