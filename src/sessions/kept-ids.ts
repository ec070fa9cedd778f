/** Ids of sessions as they lie in a file: thousands, of which mostly none or a few are asked for. */
export class KeptIds {
  /** As JSON: equal bytes, equal ids. */
  readonly bytes: Buffer;
  #all: string[] | undefined;
  #places: Map<string, number> | undefined;
  #asked = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get all(): readonly string[] {
    this.#all ??= JSON.parse(String(this.bytes)) as string[];
    return this.#all;
  }

  /** Where one is; -1: nowhere. */
  indexOf(id: string): number {
    if (this.#places === undefined && this.#asked++ < FEW) return this.all.indexOf(id);
    this.#places ??= new Map(this.all.map((own, index) => [own, index]));
    return this.#places.get(id) ?? -1;
  }
}

/** Questions that are answered sooner by looking through all of them. */
const FEW = 8;
