/** A part of the product that takes bytes from outside. */
export interface Target {
  name: string;
  /** Valid inputs to start with. */
  seeds(): readonly Buffer[];
  /** Parts of the format that chance would not find. */
  tokens?: readonly string[];
  /** Throws an unexpected error when the input breaks it or an invariant fails. */
  run(input: Buffer): void | Promise<void>;
  /** Errors that are a proper answer to bad input. */
  expects?(error: unknown): boolean;
  /** Inputs in the short form; slow targets take fewer. */
  short: number;
  /** Multiplier of the long form. */
  factor?: number;
}
