/**
 * What a terminal sends: keys in the old encodings and in kitty's, mouse reports, pasted text, focus, answers to
 * questions. Bytes may be torn anywhere. A lone escape is told from the beginning of a sequence by a short silence.
 */
import { StringDecoder } from "node:string_decoder";
import type { InputEvent } from "./input-event.ts";
import { characterKey, key, type Key } from "./key.ts";
import { csiEvent, ss3Key } from "./sequences.ts";

/** Over SSH the bytes of one key arrive together nearly always; longer would be felt when leaving a dialog. */
const ESCAPE_MS = 30;

const PASTE_BEGIN = "\x1b[200~";
const PASTE_END = "\x1b[201~";

/** No sequence is longer; what is, is garbage and is dropped. */
const MAX_SEQUENCE = 4096;

const CSI = /^\x1b\[([<=>?]?)([0-9;:]*)([ -/]*)([@-~])/;
const CSI_BEGUN = /^\x1b\[[<=>?]?[0-9;:]*[ -/]*$/;
const STRING = /^\x1b[\]P_^X]([^\x07\x1b]*)(?:\x07|\x1b\\)/;

const CONTROL_NAMES: Readonly<Record<number, string>> = { 8: "backspace", 9: "tab", 13: "enter", 127: "backspace" };

export class InputParser {
  private readonly emit: (event: InputEvent) => void;
  private readonly decoder = new StringDecoder("utf8");
  private pending = "";
  private pasting: string[] | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(emit: (event: InputEvent) => void) {
    this.emit = emit;
  }

  push(data: Buffer): void {
    clearTimeout(this.timer);
    this.pending += this.decoder.write(data);
    this.parse(false);
    if (this.pending !== "" && this.pasting === undefined) this.timer = setTimeout(() => this.parse(true), ESCAPE_MS);
  }

  close(): void {
    clearTimeout(this.timer);
  }

  /** `final`: nothing more is coming, an escape is an escape. */
  private parse(final: boolean): void {
    while (this.pending !== "") {
      const used = this.pasting === undefined ? this.next(final) : this.paste();
      if (used === 0) return;
      this.pending = this.pending.slice(used);
    }
  }

  /** Answers how many characters were understood; 0: more are needed. */
  private next(final: boolean): number {
    const text = this.pending;
    if (text.charCodeAt(0) !== 0x1b) return this.character(text, false);
    if (text.startsWith(PASTE_BEGIN)) {
      this.pasting = [];
      return PASTE_BEGIN.length;
    }
    if (text.length === 1) return final ? this.key(key("esc"), 1) : 0;
    switch (text[1]) {
      case "[":
        return this.csi(text, final);
      case "O":
        return this.ss3(text, final);
      case "]":
      case "P":
      case "_":
        return this.string(text, final);
      case "\x1b": {
        // Escape with alt, or escape and then something that begins with one.
        if (text.length > 2) return this.key(key("esc"), 1);
        return final ? this.key(key("esc", { alt: true }), 2) : 0;
      }
      default:
        return 1 + this.character(text.slice(1), true);
    }
  }

  private csi(text: string, final: boolean): number {
    const match = CSI.exec(text);
    if (match === null) {
      if (!final && CSI_BEGUN.test(text) && text.length < MAX_SEQUENCE) return 0;
      return this.key(key("[", { alt: true }), 2);
    }
    const [whole, prefix = "", parameters = "", , last = ""] = match;
    // The oldest mouse encoding: three bytes after the sequence. We never ask for it, some terminals send it still.
    if (prefix === "" && parameters === "" && last === "M")
      return text.length < 6 && !final ? 0 : Math.min(6, text.length);
    const event = csiEvent(prefix, parameters, last) ?? { type: "answer", sequence: whole };
    if (event !== "nothing") this.emit(event);
    return whole.length;
  }

  private ss3(text: string, final: boolean): number {
    const last = text[2];
    if (last === undefined) return final ? this.key(key("o", { alt: true, shift: true }), 2) : 0;
    const found = ss3Key(last);
    return found === undefined ? this.key(key("o", { alt: true, shift: true }), 2) : this.key(found, 3);
  }

  private string(text: string, final: boolean): number {
    const match = STRING.exec(text);
    if (match !== null) {
      this.emit({ type: "answer", sequence: match[0] });
      return match[0].length;
    }
    if (!final && text.length < MAX_SEQUENCE) return 0;
    return this.character(text.slice(1), true) + 1;
  }

  private character(text: string, alt: boolean): number {
    const code = text.codePointAt(0) ?? 0;
    const length = code > 0xffff ? 2 : 1;
    const name = CONTROL_NAMES[code];
    if (name !== undefined) return this.key(key(name, { alt }), 1);
    if (code === 0x1b) return this.key(key("esc", { alt }), 1);
    if (code === 0) return this.key(key("space", { ctrl: true, alt }), 1);
    // Ctrl and a letter, or one of [ \ ] ^ _, whose lower case neighbours are what the key says.
    if (code < 0x20) {
      return this.key(key(String.fromCharCode(code < 0x1b ? code + 0x60 : code + 0x40), { ctrl: true, alt }), 1);
    }
    return this.key(characterKey(text.slice(0, length), alt), length);
  }

  private key(pressed: Key, used: number): number {
    this.emit({ type: "key", key: pressed });
    return used;
  }

  private paste(): number {
    const pieces = this.pasting ?? [];
    const end = this.pending.indexOf(PASTE_END);
    if (end !== -1) {
      pieces.push(this.pending.slice(0, end));
      this.pasting = undefined;
      this.emit({ type: "paste", text: pieces.join("") });
      return end + PASTE_END.length;
    }
    // The end may be torn: as much as could be its beginning stays.
    const keep = Math.min(this.pending.length, PASTE_END.length - 1);
    const used = this.pending.length - keep;
    if (used > 0) pieces.push(this.pending.slice(0, used));
    return used;
  }
}
