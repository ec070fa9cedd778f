/** A row of a screen as somebody sees it: its text, and where in it other colours begin. */
export interface ShownRow {
  text: string;
  /** In order; without them all of it looks the same. */
  looks?: readonly Look[];
  /** The column of a cursor that is shown in it. */
  cursor?: number;
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

/** The rows that were not there before, wherever they stood: what is written, and not what has moved. */
export function newRows(before: readonly ShownRow[], now: readonly ShownRow[]): ShownRow[] {
  const known = new Map<string, number>();
  for (const { text } of before) known.set(text.trim(), (known.get(text.trim()) ?? 0) + 1);
  return now.filter(({ text }) => {
    const left = known.get(text.trim()) ?? 0;
    if (left > 0) known.set(text.trim(), left - 1);
    return left === 0;
  });
}
