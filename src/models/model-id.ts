/**
 * Normalises model ids to names in the price table. `modelForms` drops suffixes step by step, so that an exact match wins:
 * `grok-4-fast` is a model, `gpt-5.5-fast` is GPT-5.5 at another price.
 */

export interface ModelForm {
  key: string;
  /** Price modifiers that were part of the id and are not in `key`. */
  modifiers: string[];
}

/** Servers on the user's machine: models there have no list price, whatever their name. */
const LOCAL_PROVIDERS = /^(?:local|localhost|local-llm|ollama|lm-?studio|llama[.-]?cpp|llamafile|vllm|mlx)\//;

/** `us.anthropic.` from Bedrock, `openai:` from some configuration files. */
const VENDOR_PREFIX =
  /^(?:[a-z]{2,6}(?:-gov)?\.)?(?:anthropic|openai|google|meta|mistral|deepseek|qwen|moonshot|moonshotai|zai|minimax|xai)[.:]/;

/** Claude ids changed their word order with version 4; some tools still use the old one. */
const CLAUDE_VERSION_FIRST = /^claude-(\d+(?:-\d)?)-(opus|sonnet|haiku|fable|mythos)/;

/** `claude-opus-4-0` and `claude-opus-4` are the same model. */
const CLAUDE_MINOR_ZERO = /^(claude-[a-z]+-\d+)-0(?=-|$)/;

/** One spelling per model; never merges two models. */
export function modelKey(id: string): string {
  const lower = id.trim().toLowerCase();
  if (LOCAL_PROVIDERS.test(lower)) return lower;
  return lower
    .slice(lower.lastIndexOf("/") + 1)
    .replace(VENDOR_PREFIX, "")
    .replaceAll(".", "-")
    .replace(CLAUDE_VERSION_FIRST, "claude-$2-$1")
    .replace(CLAUDE_MINOR_ZERO, "$1");
}

/** Suffixes that change neither the model nor its price. */
const NEUTRAL_ENDINGS: { ending: RegExp; of?: RegExp; notOf?: RegExp }[] = [
  // Context size in Claude Code's notation. The long-context price depends on the request, not on the name.
  { ending: /\[[^\]]*\]$/ },
  // Vertex: `@20250929`, `@latest`.
  { ending: /@[^@]*$/ },
  // OpenRouter variants and thinking levels.
  { ending: /:(?:thinking|beta|off|minimal|low|medium|high|xhigh|max)$/ },
  // Bedrock revisions.
  { ending: /-v\d+:\d+$/ },
  { ending: /(?<=-20\d{6})-v\d+$/ },
  { ending: /-latest$/ },
  { ending: /-20\d{6}$/ },
  { ending: /-20\d\d-\d\d-\d\d$/ },
  { ending: /-preview(?:-\d\d-\d\d(?:\d\d)?)?$/ },
  // Month and day of a release. Mistral and Qwen write year and month, and price each release separately.
  { ending: /-[01]\d[0-3]\d$/, notOf: /^(?:[a-z]*tral|qwen)/ },
  { ending: /-\d{3}$/, of: /^gemini-/ },
  // Effort suffix from Cursor. Other vendors have models with such names (mistral-medium, kimi-k2-thinking).
  { ending: /-(?:thinking|minimal|low|medium|high|xhigh)$/, of: /^(?:claude|gpt|gemini|grok|o\d)/ },
];

/** Suffixes that keep the model and change its price. */
const PRICED_ENDING = /[-:](fast|priority|flex|free)$/;

/** The id itself, then with fewer and fewer suffixes; most specific first. */
export function modelForms(id: string): ModelForm[] {
  let form: ModelForm = { key: modelKey(id), modifiers: [] };
  const forms = [form];
  for (let next = shorter(form); next !== undefined; next = shorter(form)) {
    form = next;
    forms.push(form);
  }
  return forms;
}

function shorter({ key, modifiers }: ModelForm): ModelForm | undefined {
  const modifier = PRICED_ENDING.exec(key)?.[1];
  if (modifier !== undefined) return { key: key.replace(PRICED_ENDING, ""), modifiers: [...modifiers, modifier] };
  for (const { ending, of, notOf } of NEUTRAL_ENDINGS) {
    if (!ending.test(key) || of?.test(key) === false || notOf?.test(key) === true) continue;
    return { key: key.replace(ending, ""), modifiers };
  }
  return undefined;
}
