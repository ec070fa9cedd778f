/** What a reader must find in the corpus: the oracle that the manifest holds. */

const TOKEN_KINDS = ["input", "cached", "cacheWrite", "cacheWrite1h", "output", "thinking"];

export function noMessages() {
  return { user: 0, assistant: 0, tool: 0 };
}

/** Billed requests; each one counted once, wherever copies of it lie. */
export class Bill {
  requests = 0;
  tokens = Object.fromEntries(TOKEN_KINDS.map((kind) => [kind, 0]));
  byModel = {};

  add(model, tokens) {
    this.requests++;
    const ofModel = (this.byModel[model] ??= { requests: 0, tokens: Object.fromEntries(TOKEN_KINDS.map((k) => [k, 0])) });
    ofModel.requests++;
    for (const kind of TOKEN_KINDS) {
      this.tokens[kind] += tokens[kind];
      ofModel.tokens[kind] += tokens[kind];
    }
  }

  addAll(other) {
    this.requests += other.requests;
    for (const kind of TOKEN_KINDS) this.tokens[kind] += other.tokens[kind];
    for (const [model, { requests, tokens }] of Object.entries(other.byModel)) {
      const ofModel = (this.byModel[model] ??= { requests: 0, tokens: Object.fromEntries(TOKEN_KINDS.map((k) => [k, 0])) });
      ofModel.requests += requests;
      for (const kind of TOKEN_KINDS) ofModel.tokens[kind] += tokens[kind];
    }
  }
}

export function addMessages(sum, messages) {
  for (const role of Object.keys(messages)) sum[role] += messages[role];
}
