/** Expected totals of the corpus, for its manifest. */

const TOKEN_KINDS = ["input", "cached", "cacheWrite", "cacheWrite1h", "output", "thinking"];

export function noMessages() {
  return { user: 0, assistant: 0, tool: 0 };
}

/** Billed requests, each counted once, wherever its copies are. */
export class Bill {
  requests = 0;
  tokens = noTokens();
  byModel = {};

  add(model, tokens, requests = 1) {
    const ofModel = (this.byModel[model] ??= { requests: 0, tokens: noTokens() });
    for (const sum of [this, ofModel]) {
      sum.requests += requests;
      for (const kind of TOKEN_KINDS) sum.tokens[kind] += tokens[kind];
    }
  }

  addAll(other) {
    for (const [model, { requests, tokens }] of Object.entries(other.byModel)) this.add(model, tokens, requests);
  }
}

function noTokens() {
  return Object.fromEntries(TOKEN_KINDS.map((kind) => [kind, 0]));
}

export function addMessages(sum, messages) {
  for (const role of Object.keys(messages)) sum[role] += messages[role];
}
