/** What somebody has typed into a program's input line and not sent. Nothing may be typed behind it. */

/** A paste is part of a draft, whatever it contains. */
const PASTE = /\u001b\[200~.*?(?:\u001b\[201~|$)/gs;
/** Ctrl-C and Ctrl-U of terminals that send keys as sequences. */
const CLEARING_SEQUENCE = /\u001b\[(?:99|117);5u/g;
/** Arrows, mouse and focus reports, Alt with a key. */
const SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|O.|\].*?(?:\u0007|\u001b\\)|[^[])/gs;
/** Enter, Ctrl-C and Ctrl-U. */
const ENDS = /[\r\u0003\u0015]/;
const RUBOUT = /[\b\u007f]/;

/** More than this is a paste without brackets: the rest changes nothing. */
const MAX_BYTES = 4096;

export class Draft {
  /** Time of the last key of the draft. */
  at = 0;
  private characters = 0;
  private isLeft = false;

  /** An estimate: a key can do anything. */
  get isOpen(): boolean {
    return this.characters > 0 || this.isLeft;
  }

  /** A prompt was typed, and the program did not visibly take it. */
  left(now: number): void {
    this.isLeft = true;
    this.at = now;
  }

  /** It was taken after all. */
  taken(): void {
    this.isLeft = false;
  }

  typed(data: Buffer, now: number): void {
    const text = data
      .toString("utf8", 0, MAX_BYTES)
      .replaceAll(PASTE, "x")
      .replaceAll(CLEARING_SEQUENCE, "\u0003")
      .replaceAll(SEQUENCE, "");
    for (const character of text) {
      if (ENDS.test(character)) {
        this.characters = 0;
        this.isLeft = false;
      } else if (RUBOUT.test(character)) this.characters = Math.max(0, this.characters - 1);
      else if (character >= " ") {
        this.characters++;
        this.at = now;
      }
    }
  }
}
