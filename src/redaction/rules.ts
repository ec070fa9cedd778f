/**
 * Patterns of secrets. They prefer false positives: others read the archive, and the session itself stays complete on its
 * machine.
 */

import type { Rule } from "./rule.ts";
import { SERVICE_TOKENS } from "./service-tokens.ts";

const NAME_OF_SECRET =
  "(?:pass(?:word|wd|phrase|code)?|pwd|secret|api[-_. ]?key|access[-_. ]?key|private[-_. ]?key|encryption[-_. ]?key|signing[-_. ]?key|auth[-_. ]?key|account[-_. ]?key|token|bearer|credentials?|session[-_]?cookie)";

/** Object keys whose values are always secret. Token counts are not. */
const SECRET_KEY = new RegExp(`(?:^|[-_.A-Za-z])${NAME_OF_SECRET}$`, "i");
const HARMLESS_NAME =
  "(?:max|(?<!ad)min|num|(?<!ac)count|total|input|output|cached?|prompt|completion|reasoning|thinking|next|page|continuation)[-_]?(?:tokens?|keys?)";
const HARMLESS_KEY = new RegExp(`${HARMLESS_NAME}$`, "i");

export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key) && !HARMLESS_KEY.test(key);
}

/** Environment variables that hold secrets. */
export const SECRET_VARIABLE = /(?:TOKEN|KEY|SECRET|PASS|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PGPASSWORD|DSN)$/i;

const PLACEHOLDER =
  /^(?:x{3,}|\*{3,}|\.{3,}|<[^>]*>|\$\{?\w+\}?|%\w+%|your[-_ ]?\w*|example\w*|changeme|redacted|none|null|true|false|undefined|string|number|boolean|required|optional)$/i;

/** A literal value, not a type, a call or another name. */
function isValue(text: string): boolean {
  if (PLACEHOLDER.test(text)) return false;
  const isName = /^[A-Za-z_][A-Za-z_.]*(?:\(.*)?$/.test(text) && !/[a-z][A-Z]{2}/.test(text);
  return !isName || text.length >= 32;
}

/** Enough different characters, without the order of words and names. */
function isRandom(text: string): boolean {
  if (!isValue(text) || !/\d/.test(text) || !/[A-Za-z]/.test(text)) return false;
  // Paths, versions, addresses and worded identifiers.
  if (/[/\\]/.test(text) && !/[+=]/.test(text)) return false;
  return entropy(text) >= 3.3;
}

/** Bits per character. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  return [...counts.values()].reduce((sum, n) => sum - (n / text.length) * Math.log2(n / text.length), 0);
}

/** Digests of packages, images, and agents' ids. */
const KNOWN_AS_HARMLESS =
  /^(?:sha\d{1,3}-|iVBORw0KGgo|R0lGOD|\/9j\/|(?:toolu|call|msg|req|resp|rs|fc|run|chatcmpl)[-_])/;

/** Alone in a text, without a word that says what it is. */
function mayBeSecret(text: string): boolean {
  return (
    !KNOWN_AS_HARMLESS.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text) && isRandom(text) && entropy(text) >= 4.3
  );
}

/** A typed password in a sentence; ordinary words after "password is" do not count. */
function isTypedPassword(text: string): boolean {
  return isValue(text) && (/\d/.test(text) || /[^\w.,;:!?'"()-]/.test(text)) && text.length >= 6;
}

/** Not an option, a variable or a placeholder. */
function isArgument(text: string): boolean {
  return isValue(text) && !/^[-$<{]/.test(text);
}

const WORD_OF_SECRET =
  "(?:password|passwd|passphrase|passcode|secret|api[-_ ]?key|access[-_ ]?key|token|credentials?|pin)";
const ARGUMENT = String.raw`(?:"([^"\n]{3,})"|'([^'\n]{3,})'|([^\s"'|&;<>]{3,}))`;

/** Passwords in command arguments, in each command's syntax. */
const COMMANDS: readonly Rule[] = [
  // user:password, recognised only by the colon.
  {
    name: "command-password",
    pattern:
      /\b(?:curl|wget|http|https|xh|ab|wrk|siege)\b[^\n|;&]{0,400}?\s(?:-u|--user|-U|--proxy-user|-a|--auth|-A)[= ]{0,3}["']?[^\s:"'=][^\s:"']{0,200}:([^\s"']{3,})/g,
    group: 1,
    isSecret: isArgument,
  },
  {
    name: "command-password",
    pattern: new RegExp(
      `\\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump|mycli)\\b[^\\n|;&]{0,400}?\\s-p${ARGUMENT}`,
      "g",
    ),
    group: -1,
    isSecret: isArgument,
  },
  {
    name: "command-password",
    pattern: new RegExp(`\\bsshpass\\b[^\\n|;&]{0,400}?\\s-p ?${ARGUMENT}`, "g"),
    group: -1,
    isSecret: isArgument,
  },
  {
    name: "command-password",
    pattern: new RegExp(
      `\\b(?:docker|podman|nerdctl|helm|skopeo|buildah|crane|oras|az|cf|oc|rclone|7z|7za|zip|unzip|rar|mongo|mongosh|mongodump|mongorestore|cqlsh|kinit|net|smbclient|ldapsearch|influx|nats|mosquitto_pub|mosquitto_sub|clickhouse-client|sqlcmd|bcp|ftp|lftp|xfreerdp|snowsql|vault|nmap|hydra|crackmapexec|impacket-\\w+)\\b[^\\n|;&]{0,400}?\\s(?:-p|-P|-w|-pw|/p:)[= ]?${ARGUMENT}`,
      "g",
    ),
    group: -1,
    isSecret: isTypedPassword,
  },
  {
    name: "command-password",
    pattern: new RegExp(
      `\\b(?:redis-cli|keydb-cli|valkey-cli)\\b[^\\n|;&]{0,400}?\\s(?:-a|--pass)[ =]?${ARGUMENT}`,
      "g",
    ),
    group: -1,
    isSecret: isArgument,
  },
  {
    name: "command-password",
    pattern: /\bopenssl\b[^\n|;&]{0,400}?\bpass:([^\s"']{3,})/g,
    group: 1,
    isSecret: isArgument,
  },
  {
    name: "command-password",
    pattern: /\bhtpasswd\b[^\n|;&]{0,400}?\s-[a-zA-Z]{0,8}b[a-zA-Z]{0,8}\s+(?:\S+\s+)?\S+\s+([^\s"']{3,})/g,
    group: 1,
    isSecret: isArgument,
  },
  {
    name: "command-password",
    pattern:
      /\becho\s+["']?([^\s"'|]{4,})["']?\s*\|\s*(?:sudo\s+-S|docker\s+login|passwd|kinit|su\b|gpg\b|cryptsetup)/g,
    group: 1,
    isSecret: isArgument,
  },
  {
    name: "command-password",
    pattern: /\bchpasswd\b[^\n]{0,400}?<<<\s*["']?[^\s:"']+:([^\s"']{3,})/g,
    group: 1,
    isSecret: isArgument,
  },
  {
    name: "command-password",
    pattern: /(?<![\w.-])[\w.-]{1,64}:([^\s"':|]{4,64})["']?\s*\|\s*(?:sudo\s+)?chpasswd/g,
    group: 1,
    isSecret: isArgument,
  },
  {
    name: "sql-password",
    pattern:
      /\b(?:identified\s+(?:with\s+\w+\s+)?by|with\s+(?:encrypted\s+)?password|set\s+password\s*(?:for\s+\S+\s*)?=(?:\s*password\()?|password)\s*(?:\(\s*)?'([^'\n]{3,})'/gi,
    group: 1,
    isSecret: isValue,
  },
];

/** As settings files write them. */
const SETTINGS: readonly Rule[] = [
  { name: "npm-auth", pattern: /(?<![\w-])_auth\s*=\s*["']?([\w+/=-]{8,})/g, group: 1 },
  {
    name: "constant",
    pattern:
      /\bdefine\(\s*["']\w{0,60}(?:PASS(?:WORD|WD)?|KEY|SECRET|TOKEN|SALT)["']\s*,\s*(?:"([^"\n]{4,})"|'([^'\n]{4,})')/gi,
    group: -1,
    isSecret: isValue,
  },
  {
    name: "wrapped-secret",
    pattern: new RegExp(
      `${NAME_OF_SECRET}["'\\]]{0,3}\\s{0,3}[:=]\\s{0,3}[\\w.]{1,40}\\(\\s*["'\`]([^"'\`\\n]{4,})["'\`]`,
      "gi",
    ),
    group: 1,
    isSecret: isTypedPassword,
  },
  {
    name: "netrc-password",
    pattern: /\b(?:login|machine|user)\s+\S+(?:\s+(?:login|user)\s+\S+)?\s+password\s+([^\s"']{3,})/g,
    group: 1,
    isSecret: isArgument,
  },
  {
    name: "yaml-block",
    pattern: new RegExp(
      `\\b[\\w.-]{0,60}${WORD_OF_SECRET}["']?\\s*:\\s*[|>][-+\\d]*[ \\t]*\\n[ \\t]+(\\S[^\\n]{3,})`,
      "gi",
    ),
    group: 1,
  },
  {
    name: "xml-value",
    pattern: new RegExp(
      `<(?![\\w:.-]{0,60}${HARMLESS_NAME}[\\s>])[\\w:.-]{0,60}${WORD_OF_SECRET}[\\w:.-]{0,60}(?:\\s[^<>]{0,400})?>\\s*(?:<!\\[CDATA\\[\\s*)?([^\\s<>][^<>\\n]{2,400}?)\\s*(?:\\]\\]>\\s*)?</`,
      "gi",
    ),
    group: 1,
    isSecret: isValue,
  },
  {
    name: "xml-attribute",
    pattern:
      /\b(?:key|name)=["'][^"'\n]{0,80}(?:password|passwd|secret|token|api[-_]?key)[^"'\n]{0,80}["']\s+value=["']([^"'\n]{3,})["']/gi,
    group: 1,
    isSecret: isValue,
  },
  {
    name: "plist-value",
    pattern:
      /<key>[^<\n]{0,80}(?:password|secret|token|api[-_]?key)[^<\n]{0,80}<\/key>\s*<string>([^<\n]{3,})<\/string>/gi,
    group: 1,
    isSecret: isValue,
  },
  {
    name: "directive",
    pattern:
      /\b(?:SetEnv|ENV|ARG|setx|set|export|fastcgi_param|env)\s+\w{0,60}(?:PASS(?:WORD|WD|PHRASE)?|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|SECRET_?KEY|CREDENTIALS?)\w{0,60}\s+["']?([^\s"';=]{4,})/g,
    group: 1,
    isSecret: isArgument,
  },
  {
    name: "directive",
    pattern:
      /\b(?:requirepass|masterauth|rootpw|bindpw|secret_key_base|auth_pass|ppp_password|wpa_passphrase|psk)(?:\s*=\s*|[ \t]+)["']?([^\s"'#]{4,})/gi,
    group: 1,
    isSecret: isArgument,
  },
  { name: "pgpass", pattern: /^[\w.*-]+:(?:\d+|\*):[^:\s]+:[^:\s]+:([^:\s]{3,})$/gm, group: 1, isSecret: isArgument },
  { name: "htpasswd", pattern: /^[\w.@-]+:(\$(?:apr1|2[aby]|5|6|y)\$[\w./$]{20,}|\{SHA\}[\w+/=]{20,})/gm, group: 1 },
  { name: "shadow", pattern: /\$(?:6|5|y|2[aby]|argon2(?:id|i|d))\$[\w./=,+$-]{30,}/g },
  {
    name: "odbc",
    pattern: /\b(?:pwd|password)\s*=\s*\{?([^;{}\s"']{3,200})\}?[ \t]*(?=;|$)/gim,
    group: 1,
    isSecret: isArgument,
  },
];

/** Mentioned in prose. */
const PROSE: readonly Rule[] = [
  {
    name: "said-secret",
    pattern: new RegExp(
      `\\b(?:changed?|changing|reset|set|rotated?|updated?)\\s+(?:the\\s+|my\\s+|its\\s+|your\\s+)?(?:[\\w.-]{1,30}\\s+)?${WORD_OF_SECRET}\\s+(?:from\\s+\\S{1,60}\\s+)?to\\s+["'\`“]?([^\\s"'\`“”]{4,})`,
      "gi",
    ),
    group: 1,
    isSecret: isTypedPassword,
  },
  {
    name: "said-secret",
    pattern: new RegExp(
      `\\b${WORD_OF_SECRET}s?(?:\\s+(?:for|of|to|on|at)\\s+[^\\n.:]{1,60}?)?\\s*(?:\\b(?:is|was|are|be|becomes|equals)\\b|\\bset\\s+to\\b|\\bchanged\\s+to\\b|->|→|—)\\s*(?:(?:now|still|just|currently)\\s+)?(?:[:"'\`“]\\s*)?([^\\s"'\`“”]{4,})`,
      "gi",
    ),
    group: 1,
    isSecret: isTypedPassword,
  },
  {
    name: "said-secret",
    pattern: new RegExp(
      `\\b(?:use|using|with|enter|type|try|log\\s?in\\s+with)\\s+(?:the\\s+)?(?:\\w+\\s+)?${WORD_OF_SECRET}\\s+[:"'\`“]?([^\\s"'\`“”]{4,})`,
      "gi",
    ),
    group: 1,
    isSecret: isTypedPassword,
  },
  {
    name: "said-login",
    pattern:
      /\b(?:log(?:ged)?\s?in|sign(?:ed)?\s?in|username)\b[^\n/]{0,30}?\s[\w.@-]{1,40}\s+\/\s+["'`]?([^\s"'`,/]{6,40})/gi,
    group: 1,
    isSecret: isTypedPassword,
  },
  // A value that looks like nothing else, shortly after a word that announces one.
  {
    name: "random-value",
    pattern: new RegExp(
      `(?:${WORD_OF_SECRET}|signing[-_ ]?key|auth|private[-_ ]?key)[\\w-]{0,20}[^\\n]{0,40}?(?<![\\w/+.=-])([A-Za-z0-9+/_=.~-]{20,400})(?![\\w/+=-])`,
      "gi",
    ),
    group: 1,
    isSecret: isRandom,
  },
];

/** Last, so that certain findings are not questioned. */
const QUESTIONS: readonly Rule[] = [
  {
    name: "unlabelled-value",
    pattern: /(?<![\w/+.=@:%-])[A-Za-z0-9+/_-]{32,128}={0,2}(?![\w/+=.:-])/g,
    isSecret: mayBeSecret,
    isUnsure: true,
  },
  {
    name: "said-word",
    pattern:
      /\b(?:password|passphrase|passcode)\s+(?:for\s+[\w.@-]{1,40}\s+)?(?:is|was)\s+(?:now\s+)?["'`“]([A-Za-z][A-Za-z-]{4,40})["'`”]/gi,
    group: 1,
    isSecret: (text) => !PLACEHOLDER.test(text),
    isUnsure: true,
  },
];

export const RULES: readonly Rule[] = [
  {
    name: "private-key",
    // Also one whose end was cut off.
    pattern:
      /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|$)/g,
  },
  ...SERVICE_TOKENS,
  {
    name: "url-password",
    pattern: /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/?#@"'<>]{0,200}:([^\s/@"'<>]{1,200})@/gi,
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
  { name: "cookie", pattern: /\b(?:set-)?cookie["']?\s*:\s*["']?[^\s=;]{1,200}=([^\s;"']{12,})/gi, group: 1 },
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
    pattern: /(?:^|\s)--?(?:password|passwd|passphrase|pass|token|secret|api-?key)[ =]+["']?([^\s"'-][^\s"']{3,})/gi,
    group: 1,
    isSecret: isValue,
  },
  ...COMMANDS,
  ...SETTINGS,
  ...PROSE,
  ...QUESTIONS,
];
