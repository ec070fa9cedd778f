/** What somebody has typed into a program's input line and not sent. Nothing may be typed behind it. */

const PASTE_BEGINS = "\u001b[200~";
const PASTE_ENDS = "\u001b[201~";
/** Ctrl-C and Ctrl-U of terminals that send keys as sequences. */
const CLEARING_SEQUENCE = /\u001b\[(?:99|117);5u/g;
const ENTER_SEQUENCE = /\u001b\[13(?:;1)?u/g;
/** An agent recalls an earlier prompt. */
const UP = /\u001b[[O]A/g;
/** Arrows, mouse and focus reports, Alt with a key. */
const SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|O.|\].*?(?:\u0007|\u001b\\)|[^[])/gs;
/** Ctrl-C and Ctrl-U. */
const CLEARS = /[\u0003\u0015]/;
const RUBOUT = /[\b\u007f]/;

/** More than this is a paste without brackets: the rest changes nothing. */
const MAX_CHARACTERS = 4096;

/** An Enter's turn begins within this time, or it began none. */
export const BEGINS_WITHIN_MS = 10_000;

export class Draft {
  /** The program asks something: keys are for its question, and the draft is kept below it. */
  isAsked = false;
  private characters = 0;
  private isLeft = false;
  private isPasting = false;
  /** The end of a paste may come in two pieces. */
  private tail = "";
  private last = "";
  private sentAt = 0;

  /** An estimate: a key can do anything. */
  get isOpen(): boolean {
    return this.characters > 0 || this.isLeft;
  }

  /** A prompt was typed, and the program did not visibly take it. */
  left(): void {
    this.isLeft = true;
  }

  /** It was taken after all. */
  taken(): void {
    this.isLeft = false;
  }

  /** A turn began. With a seen Enter, the rest was typed after it; without one, the draft was sent in another way. */
  begun(now: number): void {
    this.isLeft = false;
    if (now - this.sentAt > BEGINS_WITHIN_MS) this.clear();
  }

  typed(data: Buffer, now: number): void {
    if (this.isAsked) return;
    let rest = this.tail + data.toString("utf8");
    this.tail = "";
    while (rest !== "") {
      const mark = this.isPasting ? PASTE_ENDS : PASTE_BEGINS;
      const at = rest.indexOf(mark);
      const piece = at === -1 ? rest : rest.slice(0, at);
      if (this.isPasting) this.characters += piece.length;
      else this.keys(piece.slice(0, MAX_CHARACTERS), now);
      if (at === -1) {
        if (this.isPasting) this.tail = rest.slice(1 - mark.length);
        return;
      }
      this.isPasting = !this.isPasting;
      this.last = "";
      rest = rest.slice(at + mark.length);
    }
  }

  private keys(typed: string, now: number): void {
    const text = typed
      .replaceAll(CLEARING_SEQUENCE, "\u0003")
      .replaceAll(ENTER_SEQUENCE, "\r")
      .replaceAll(UP, "\t")
      .replaceAll(SEQUENCE, "");
    for (const character of text) {
      // A backslash makes Enter a line end.
      if (character === "\r" && this.last !== "\\") {
        this.clear();
        this.sentAt = now;
      } else if (CLEARS.test(character)) this.clear();
      else if (RUBOUT.test(character)) this.characters = Math.max(0, this.characters - 1);
      // A suggestion or an earlier prompt may be in the line now.
      else if (character === "\t") this.characters = Math.max(1, this.characters);
      else if (character >= " ") this.characters++;
      this.last = character;
    }
  }

  private clear(): void {
    this.characters = 0;
    this.isLeft = false;
    this.isPasting = false;
  }
}
