/**
 * Kitty keyboard flags, a stack per screen. The emulator does not know the protocol; a viewer's terminal needs the same flags
 * when it attaches.
 */
import type { Terminal } from "@xterm/headless";

/** As in the protocol's reference terminal: pushing more drops the oldest. */
const MAX_DEPTH = 8;

type ScreenName = "normal" | "alternate";

export class KittyKeyboard {
  private readonly terminal: Terminal;
  private stacks: Record<ScreenName, number[]> = { normal: [], alternate: [] };

  constructor(terminal: Terminal, reply: (text: string) => void) {
    this.terminal = terminal;
    const { parser } = terminal;
    const first = (params: (number | number[])[], at: number, otherwise: number): number => {
      const value = params[at];
      return typeof value === "number" && value > 0 ? value : otherwise;
    };
    parser.registerCsiHandler({ prefix: ">", final: "u" }, (params) => this.push(first(params, 0, 0)));
    parser.registerCsiHandler({ prefix: "<", final: "u" }, (params) => this.pop(first(params, 0, 1)));
    parser.registerCsiHandler({ prefix: "=", final: "u" }, (params) =>
      this.set(first(params, 0, 0), first(params, 1, 1)),
    );
    parser.registerCsiHandler({ prefix: "?", final: "u" }, () => {
      reply(`\x1b[?${this.flags}u`);
      return true;
    });
  }

  /** Flags of the active screen. */
  get flags(): number {
    return this.stack.at(-1) ?? 0;
  }

  restore(screen: ScreenName): string {
    return this.stacks[screen].map((flags) => `\x1b[>${flags}u`).join("");
  }

  reset(): void {
    this.stacks = { normal: [], alternate: [] };
  }

  private get stack(): number[] {
    return this.stacks[this.terminal.buffer.active.type];
  }

  private push(flags: number): true {
    this.stack.push(flags);
    if (this.stack.length > MAX_DEPTH) this.stack.shift();
    return true;
  }

  private pop(count: number): true {
    this.stack.splice(Math.max(0, this.stack.length - count));
    return true;
  }

  private set(flags: number, how: number): true {
    const now = this.flags;
    const next = how === 2 ? now | flags : how === 3 ? now & ~flags : flags;
    if (this.stack.length === 0) this.stack.push(next);
    else this.stack[this.stack.length - 1] = next;
    return true;
  }
}
