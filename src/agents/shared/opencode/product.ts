/** What tells OpenCode and the programs that are made from it apart. */
export interface Product {
  /** Of the agent, its program, its directories and its databases. */
  readonly name: string;
  readonly displayName: string;
  /** Of its variables. */
  readonly prefix: string;
}

/** The value of one of its variables, such as `OPENCODE_DB`. */
export function variable({ prefix }: Product, name: string): string {
  return `${prefix}_${name}`;
}
