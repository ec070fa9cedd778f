/** A row of a screen as somebody sees it: its text, and where in it other colours begin. */
export interface ShownRow {
  text: string;
  /** In order; without them all of it looks the same. */
  looks?: readonly Look[];
}

export interface Look {
  /** From this place in the text on. */
  at: number;
  /** The colours of letters and of what is behind them; equal numbers are equal colours. */
  ink: number;
  ground: number;
}

export function lookAt({ looks = [] }: ShownRow, at: number): Look | undefined {
  return looks.findLast((look) => look.at <= at);
}
