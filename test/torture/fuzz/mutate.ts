/** Mutates an input: bytes like a fault, tokens like an attacker, JSON values at random. */
import type { Random } from "./random.ts";

const MAX_BYTES = 256 * 1024;

/** Bytes and numbers at the limits of formats and languages. */
const EDGES = [
  ...["\0", "\n", "\r\n", "\u2028", "\ufeff", "\ud83d\ude00", "e\u0301", '"', "\\", "'", "`", "{", "}", "[", "]"],
  ...["-1", "0", "255", "256", "65535", "2147483648", "4294967296", "9007199254740993", "1e309", "-0", "NaN", "null"],
  ...["__proto__", "constructor", "toString", "../../../etc/passwd", "%00", "${x}", "\x1b]0;x\x07", "\x1b[2J", "\x9c"],
].map((text) => Buffer.from(text));

const HOSTILE_VALUES: readonly string[] = [
  ...["null", "true", "-1", "1e308", "1e999", "9007199254740993", '""', '"x"', "[]", "{}", '{"toString":1}'],
  ...['["a",null,{}]', '"../../x"', '"\\u0000\\u001b]0;x\\u0007"', '"\\ud800"', '"__proto__"', '{"__proto__":{"a":1}}'],
  JSON.stringify("x".repeat(9000)),
  `${"[".repeat(3000)}${"]".repeat(3000)}`,
];

/** `tokens` are parts of the format; `others` are kept inputs. */
export function mutate(input: Buffer, random: Random, tokens: readonly Buffer[], others: readonly Buffer[]): Buffer {
  let bytes = input;
  for (let times = 1 + random.below(4); times > 0; times--) {
    bytes = random.oneIn(4) ? changeJson(bytes, random) : changeBytes(bytes, random, tokens, others);
  }
  return bytes.length > MAX_BYTES ? bytes.subarray(0, MAX_BYTES) : bytes;
}

function changeBytes(bytes: Buffer, random: Random, tokens: readonly Buffer[], others: readonly Buffer[]): Buffer {
  const at = random.below(bytes.length + 1);
  const length = 1 + random.below(random.oneIn(4) ? Math.max(1, bytes.length) : 16);
  const before = bytes.subarray(0, at);
  switch (random.below(9)) {
    case 0: {
      const copy = Buffer.from(bytes);
      if (copy.length > 0) copy[random.below(copy.length)]! ^= 1 << random.below(8);
      return copy;
    }
    case 1:
      return Buffer.concat([before, Buffer.from([random.below(256)]), bytes.subarray(at + 1)]);
    case 2:
      return Buffer.concat([before, bytes.subarray(at + length)]);
    case 3:
      return Buffer.concat([before, bytes.subarray(at, at + length), bytes.subarray(at)]);
    case 4:
      return Buffer.concat([before, random.pick(EDGES), bytes.subarray(at)]);
    case 5:
      return Buffer.concat([before, random.pick(EDGES), bytes.subarray(at + length)]);
    case 6:
      return tokens.length === 0 ? before : Buffer.concat([before, random.pick(tokens), bytes.subarray(at)]);
    case 7: {
      const other = random.pick(others);
      const from = random.below(other.length + 1);
      return Buffer.concat([before, other.subarray(from)]);
    }
    default:
      return before;
  }
}

const MARK = "@@hostile@@";

/** Replaces one value of one JSON line or of the whole. Other bytes stay. */
function changeJson(bytes: Buffer, random: Random): Buffer {
  const text = bytes.toString("utf8");
  const lines = isJson(text) ? [text] : text.split("\n");
  const at = random.below(lines.length);
  const line = lines[at]!;
  if (!isJson(line)) return bytes;
  const value: unknown = JSON.parse(line);
  const places = [...placesIn(value)];
  if (places.length === 0) return bytes;
  const [holder, key] = random.pick(places);
  (holder as Record<string, unknown>)[key] = MARK;
  lines[at] = JSON.stringify(value).replace(JSON.stringify(MARK), () => random.pick(HOSTILE_VALUES));
  return Buffer.from(lines.join("\n"));
}

function isJson(text: string): boolean {
  const first = text.trimStart()[0];
  if (first !== "{" && first !== "[") return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function* placesIn(value: unknown, depth = 0): Generator<[holder: object, key: string]> {
  if (typeof value !== "object" || value === null || depth > 50) return;
  for (const key of Object.keys(value)) {
    yield [value, key];
    yield* placesIn((value as Record<string, unknown>)[key], depth + 1);
  }
}
