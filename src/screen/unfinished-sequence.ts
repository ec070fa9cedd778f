/**
 * Tracks whether the emulator is inside an escape sequence and how many of its bytes were given. A viewer that joins then needs
 * the beginning too, or the rest would appear as text.
 */
import type { EmulatorCore } from "./emulator.ts";

const ESCAPE = 0x1b;

/** The emulator's parser states that matter here. */
const GROUND = 0;
const SOS_STRING = 7;
const OSC_STRING = 8;

/** Longer strings (images) are not repeated for a viewer: its terminal swallows the rest. */
const MAX_REPEATED_BYTES = 65_536;

export class UnfinishedSequence {
  private readonly core: EmulatorCore;
  private bytes = 0;

  constructor(core: EmulatorCore) {
    this.core = core;
  }

  /** Call after each parsed chunk. */
  update(parsed: Buffer): void {
    if (this.state === GROUND) {
      this.bytes = 0;
      return;
    }
    const start = parsed.lastIndexOf(ESCAPE);
    this.bytes = start === -1 ? this.bytes + parsed.length : parsed.length - start;
  }

  /** Bytes before the current position that a new viewer needs again. */
  get repeated(): number {
    return this.bytes <= MAX_REPEATED_BYTES ? this.bytes : 0;
  }

  /** Makes a viewer's terminal swallow the rest of a string that is too long to repeat. */
  get opener(): string {
    if (this.bytes <= MAX_REPEATED_BYTES) return "";
    if (this.state === OSC_STRING) return "\x1b]7799;";
    return this.state === SOS_STRING ? "\x1bX" : "\x1bP";
  }

  private get state(): number {
    return this.core._inputHandler._parser.currentState;
  }
}
