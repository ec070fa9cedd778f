/** A visible screen row: its text, and where its colours or its weight change. */
export interface ShownRow {
  text: string;
  /** In order; without them the whole row looks the same. */
  looks?: readonly Look[];
  /** Column of a visible cursor. */
  cursor?: number;
}

export interface Look {
  /** Position in the text where it begins. */
  at: number;
  /** Text and background colour; equal numbers are equal colours. */
  ink: number;
  ground: number;
  isBold?: boolean;
}

export function lookAt({ looks = [] }: ShownRow, at: number): Look | undefined {
  return looks.findLast((look) => look.at <= at);
}

/** Rows that are new, wherever they are: written text, not moved text. */
export function newRows(before: readonly ShownRow[], now: readonly ShownRow[]): ShownRow[] {
  const known = new Map<string, number>();
  for (const { text } of before) known.set(text.trim(), (known.get(text.trim()) ?? 0) + 1);
  return now.filter(({ text }) => {
    const left = known.get(text.trim()) ?? 0;
    if (left > 0) known.set(text.trim(), left - 1);
    return left === 0;
  });
}
