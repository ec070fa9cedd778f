/**
 * Parses terminal input: keys in legacy and kitty encodings, mouse reports, pastes, focus events and replies. Input may
 * be split at any byte. A timeout tells a lone escape from the start of a sequence.
 */
import { StringDecoder } from "node:string_decoder";
import type { InputEvent } from "./input-event.ts";
import { characterKey, key, type Key } from "./key.ts";
import { csiEvent, ss3Key } from "./sequences.ts";

/** Over SSH the bytes of a key nearly always arrive together; a longer timeout would be noticeable. */
const ESCAPE_MS = 30;

const PASTE_BEGIN = "\x1b[200~";
const PASTE_END = "\x1b[201~";

/** Longer sequences are garbage and are dropped. */
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

  /** `final`: no more input follows, so a lone escape is the key. */
  private parse(final: boolean): void {
    while (this.pending !== "") {
      const used = this.pasting === undefined ? this.next(final) : this.paste();
      if (used === 0) return;
      this.pending = this.pending.slice(used);
    }
  }

  /** Returns the number of characters consumed; 0 if more are needed. */
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
        // Alt+Escape, or Escape followed by another sequence.
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
    // The X10 mouse encoding: three bytes after the sequence. It is never requested, but some terminals send it.
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
    // Ctrl with a letter or one of [ \ ] ^ _; the code plus 96 or 64 gives the key.
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
    // The end marker may be split: keeps a suffix that could be its start.
    const keep = Math.min(this.pending.length, PASTE_END.length - 1);
    const used = this.pending.length - keep;
    if (used > 0) pieces.push(this.pending.slice(0, used));
    return used;
  }
}
