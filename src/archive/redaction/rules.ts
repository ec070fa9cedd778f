/**
 * What a secret looks like. Rules are written to rather take a harmless text for a secret than the other way round: an
 * archive is read by others, and the session itself stays where it is.
 */

export interface Rule {
  name: string;
  pattern: RegExp;
  /** Which of the pattern's groups is the secret; the whole match when left out. */
  group?: number;
  /** For patterns that alone would take too much. */
  isSecret?(text: string): boolean;
}

const NAME_OF_SECRET =
  "(?:pass(?:word|wd|phrase|code)?|pwd|secret|api[-_. ]?key|access[-_. ]?key|private[-_. ]?key|encryption[-_. ]?key|signing[-_. ]?key|auth[-_. ]?key|account[-_. ]?key|token|bearer|credentials?|session[-_]?cookie)";

/** Keys of objects whose values are secrets whatever they look like. Counts of tokens are none. */
const SECRET_KEY = new RegExp(`(?:^|[-_.A-Za-z])${NAME_OF_SECRET}$`, "i");
const HARMLESS_KEY =
  /(?:max|min|num|count|total|input|output|cached?|prompt|completion|reasoning|thinking|next|page|continuation)[-_]?(?:tokens?|keys?)$/i;

export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key) && !HARMLESS_KEY.test(key);
}

/** Variables of the environment that hold secrets. */
export const SECRET_VARIABLE = /(?:TOKEN|KEY|SECRET|PASS|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PGPASSWORD|DSN)$/i;

const PLACEHOLDER =
  /^(?:x{3,}|\*{3,}|\.{3,}|<[^>]*>|\$\{?\w+\}?|%\w+%|your[-_ ]?\w*|example\w*|changeme|redacted|none|null|true|false|undefined|string|number|boolean|required|optional)$/i;

/** Of what is assigned to a name like `password`: a value, not a type, a call or another name. */
function isValue(text: string): boolean {
  if (PLACEHOLDER.test(text) || text.startsWith("[redacted")) return false;
  const isName = /^[A-Za-z_][A-Za-z_.]*(?:\(.*)?$/.test(text) && !/[a-z][A-Z]{2}/.test(text);
  return !isName || text.length >= 32;
}

export const RULES: readonly Rule[] = [
  {
    name: "private-key",
    // Also one whose end was cut off.
    pattern:
      /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|$)/g,
  },
  { name: "anthropic-key", pattern: /\bsk-ant-[\w-]{16,}/g },
  { name: "api-key", pattern: /\b(?:sk|rk|pk)[-_](?:proj|live|test|or-v1|svcacct|admin)?[-_]?[A-Za-z0-9_-]{20,}/g },
  { name: "aws-access-key", pattern: /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g },
  { name: "github-token", pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{22,})/g },
  { name: "gitlab-token", pattern: /\b(?:glpat|gldt|glrt|glcbt|glptt)-[\w-]{16,}/g },
  { name: "slack-token", pattern: /\bxox[abeoprs]-[\w-]{10,}|\bxapp-\d-[\w-]{10,}/g },
  { name: "slack-hook", pattern: /hooks\.slack\.com\/(?:services|workflows)\/[\w/-]{20,}/g },
  { name: "google-key", pattern: /\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{20,}/g },
  { name: "npm-token", pattern: /\bnpm_[A-Za-z0-9]{30,}/g },
  { name: "pypi-token", pattern: /\bpypi-[\w-]{40,}/g },
  { name: "hugging-face-token", pattern: /\bhf_[A-Za-z0-9]{20,}/g },
  { name: "stripe-secret", pattern: /\bwhsec_[A-Za-z0-9+/=]{20,}/g },
  { name: "sendgrid-key", pattern: /\bSG\.[\w-]{16,}\.[\w-]{16,}/g },
  { name: "digitalocean-token", pattern: /\bdo[opr]_v1_[a-f0-9]{32,}/g },
  { name: "shopify-token", pattern: /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/g },
  { name: "telegram-token", pattern: /\b\d{8,10}:AA[\w-]{32,}/g },
  { name: "age-key", pattern: /\bAGE-SECRET-KEY-1[A-Z0-9]{20,}/g },
  { name: "vault-token", pattern: /\bhv[sbr]\.[\w-]{20,}/g },
  { name: "web-token", pattern: /\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g },
  {
    name: "url-password",
    pattern: /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/?#@"'<>]*:([^\s/?#@"'<>]+)@/gi,
    group: 1,
    isSecret: isValue,
  },
  {
    name: "authorization",
    pattern:
      /\b(?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token|digest|negotiate)\s+)?([^\s"',;]{6,})/gi,
    group: 1,
    isSecret: isValue,
  },
  { name: "bearer-token", pattern: /\bbearer\s+([\w.~+/=-]{16,})/gi, group: 1, isSecret: isValue },
  { name: "cookie", pattern: /\b(?:set-)?cookie["']?\s*:\s*["']?[^\s=;]+=([^\s;"']{12,})/gi, group: 1 },
  {
    name: "assigned-secret",
    pattern: new RegExp(
      `${NAME_OF_SECRET}["'\\]]{0,3}\\s{0,3}(?::=|=>|[:=])\\s{0,3}(?:"([^"\\n]{4,})"|'([^'\\n]{4,})'|\`([^\`\\n]{4,})\`|([^\\s"'\`,;(){}<>\\]]{6,}))`,
      "gi",
    ),
    group: -1,
    isSecret: isValue,
  },
  {
    name: "password-option",
    pattern: /(?:^|\s)--?(?:password|passwd|pass|token|secret|api-?key)[ =]+["']?([^\s"'-][^\s"']{3,})/gi,
    group: 1,
    isSecret: isValue,
  },
];
