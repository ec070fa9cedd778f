/** What is fuzzed: a piece of the product that takes bytes from outside. */
export interface Target {
  name: string;
  /** Inputs it takes well, to begin with. */
  seeds(): readonly Buffer[];
  /** Pieces of the format that chance would not find. */
  tokens?: readonly string[];
  /** Throws what `expects` does not know when the input breaks it, or when an invariant does not hold after it. */
  run(input: Buffer): void | Promise<void>;
  /** Errors that are a proper answer to bad input. */
  expects?(error: unknown): boolean;
  /** Inputs of the short form; slow targets take fewer. */
  short: number;
  /** How many times more in the long form. */
  factor?: number;
}
