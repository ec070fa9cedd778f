/** Texts as small numbers, equal ones alike, for columns of numbers. 0 stands for no text. */
export class Texts {
  readonly #numbers = new Map<string, number>();
  readonly #texts: (string | undefined)[] = [undefined];

  /** `texts`: those another one had, in its order. */
  constructor(texts: readonly string[] = []) {
    for (const text of texts) this.numberOf(text);
  }

  get size(): number {
    return this.#texts.length;
  }

  numberOf(text: string | undefined): number {
    if (text === undefined) return 0;
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#texts.length;
      this.#numbers.set(text, number);
      this.#texts.push(text);
    }
    return number;
  }

  text(number: number): string | undefined {
    return this.#texts[number];
  }

  /** In the order of their numbers, from 1. */
  all(): string[] {
    return this.#texts.slice(1) as string[];
  }
}
