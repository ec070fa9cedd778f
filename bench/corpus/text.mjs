/** Realistic text: few frequent words, lines like prose, code, compiler output or a terminal, and now and then a unique token. */

const FREQUENT =
  "the to a of in and is for that this it with on be as are we file test function error return value from code add update check string const import type await async user data list config path name result request response server client session token parse render state index message module default export null true false number object array".split(
    " ",
  );
const SYLLABLES =
  "ba be bi bo bu ca ce ci co cu da de di do du fa fe fi fo ga ge gi go ka ke ki ko la le li lo lu ma me mi mo na ne ni no pa pe pi po ra re ri ro sa se si so ta te ti to va ve vi vo".split(
    " ",
  );
const VOCABULARY_SIZE = 30_000;
const LINE_COUNT = 20_000;
const BLOB_SIZE = 65_536;
/** Characters between two unique tokens. */
const UNIQUE_EVERY = 220;

export class TextSource {
  #random;
  #vocabulary = [...FREQUENT];
  #lines = [];
  #blob;

  constructor(random) {
    this.#random = random;
    while (this.#vocabulary.length < VOCABULARY_SIZE) this.#vocabulary.push(this.#inventWord());
    while (this.#lines.length < LINE_COUNT) this.#lines.push(`${this.#inventLine()}\n`);
    this.#blob = random.base62(BLOB_SIZE);
  }

  /** Zipf's law: the n-th word is n times rarer than the first. */
  word() {
    const rank = Math.exp(this.#random.next() * Math.log(this.#vocabulary.length)) - 1;
    return this.#vocabulary[Math.floor(rank)];
  }

  words(count) {
    return Array.from({ length: count }, () => this.word()).join(" ");
  }

  /** At least `length` characters, in whole lines. */
  lines(length) {
    let text = "";
    let lastUnique = 0;
    while (text.length < length) {
      text += this.#random.pick(this.#lines);
      if (text.length - lastUnique < UNIQUE_EVERY) continue;
      lastUnique = text.length;
      text += `${this.#random.pick(["sha ", "commit ", "id=", "0x", "/tmp/build-"])}${this.#random.hex(11)} `;
    }
    return text;
  }

  /** Long and meaningless, like signatures and encrypted reasoning. */
  blob(length) {
    const start = this.#random.int(0, BLOB_SIZE - length);
    return `${this.#blob.slice(start, start + length)}==`;
  }

  #inventWord() {
    const random = this.#random;
    const word = Array.from({ length: random.int(2, 5) }, () => random.pick(SYLLABLES)).join("");
    if (random.chance(0.15)) return `${word}_${random.pick(SYLLABLES)}${random.pick(SYLLABLES)}`;
    return random.chance(0.15) ? word + random.pick(["Handler", "Service", "Error", "Config", "Map"]) : word;
  }

  #inventLine() {
    const random = this.#random;
    const kind = random.next();
    if (kind < 0.45) return `${this.words(random.int(5, 16))}.`;
    if (kind < 0.6)
      return `  const ${this.word()} = await ${this.word()}.${this.word()}("${this.word()}", { limit: ${random.int(0, 999)} });`;
    if (kind < 0.7) return `${String(random.int(1, 900)).padStart(6)}\u2192\t${this.words(random.int(2, 7))} => {`;
    if (kind < 0.8)
      return `    if (${this.word()} !== null && ${this.word()} > ${random.int(0, 99)}) return "${this.words(3)}";`;
    if (kind < 0.88) return `- **${this.words(2)}**: ${this.words(random.int(4, 12))}`;
    if (kind < 0.95)
      return `src/${this.word()}/${this.word()}.ts:${random.int(1, 800)}:${random.int(1, 80)} - error TS${random.int(1000, 9999)}: ${this.words(5)}`;
    return `\u001b[32m\u2713\u001b[0m ${this.words(4)} \u2014 ${random.int(1, 900)} ms`;
  }
}
