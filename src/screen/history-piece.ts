/** A range of lines above the screen as terminal output, built on demand because most is never requested. */

const NEWLINE = 0x0a;

export class HistoryPiece {
  /** Number of lines: the newest of its source. */
  readonly lines: number;
  private readonly all: number;
  private readonly load: () => Buffer;

  constructor(all: number, atMost: number, load: () => Buffer) {
    this.all = all;
    this.lines = Math.min(all, atMost);
    this.load = load;
  }

  /** Each line with its line end, except a last one that continues elsewhere. */
  output(): Buffer {
    const whole = this.load();
    return this.lines === this.all ? whole : whole.subarray(afterLines(whole, this.all - this.lines));
  }

  /** Line by line, without line ends. */
  split(): string[] {
    const text = this.output().toString("utf8");
    return (text.endsWith("\r\n") ? text.slice(0, -2) : text).split("\r\n");
  }
}

/** A last line without an end counts. */
export function countLines(text: Buffer): number {
  let lines = 0;
  for (let at = text.indexOf(NEWLINE); at !== -1; at = text.indexOf(NEWLINE, at + 1)) lines++;
  return text.length > 0 && text[text.length - 1] !== NEWLINE ? lines + 1 : lines;
}

function afterLines(text: Buffer, lines: number): number {
  let at = 0;
  for (let skipped = 0; skipped < lines; skipped++) at = text.indexOf(NEWLINE, at) + 1;
  return at;
}

/** A line without colours; skipped empty cells become spaces. */
export function plainText(line: string): string {
  return line
    .replace(/\x1b\[(\d+)C/g, (_, columns: string) => " ".repeat(Number(columns)))
    .replace(/\x1b\[[^@-~]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g, "")
    .trimEnd();
}
