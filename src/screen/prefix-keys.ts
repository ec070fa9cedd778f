/** Finds the prefix key in typed input. The key after it is a command; everything else goes to the program. */

export type KeyCommand = "detach" | "redraw";

export interface TypedKeys {
  /** For the program. */
  input: Buffer;
  commands: KeyCommand[];
}

/** Ctrl-b, as sent by plain terminals and with the kitty keyboard protocol. */
const PREFIX_FORMS = ["\x02", "\x1b[98;5u"];

const PREFIX = 0x02;
const ESCAPE = 0x1b;

const COMMANDS: Readonly<Record<string, KeyCommand>> = { d: "detach", D: "detach", r: "redraw", "\x04": "detach" };

/** A plain key in the kitty protocol: `CSI 100 u`. */
const KITTY_KEY = /^\x1b\[(\d+)(?:;\d*(?::\d*)?)?u/;

export class PrefixKeys {
  private armed = false;

  /** Fast path: the input contains no prefix, as nearly always. */
  passes(data: Buffer): boolean {
    return !this.armed && isPlain(data);
  }

  push(data: Buffer): TypedKeys {
    if (this.passes(data)) return { input: data, commands: [] };
    // As latin1: input need not be text, and no byte may be lost.
    let rest = data.toString("latin1");
    let input = "";
    const commands: KeyCommand[] = [];
    while (rest !== "") {
      if (this.armed) {
        this.armed = false;
        const prefix = PREFIX_FORMS.find((form) => rest.startsWith(form));
        const key = prefix ?? KITTY_KEY.exec(rest)?.[0] ?? rest.charAt(0);
        rest = rest.slice(key.length);
        // The prefix twice sends it once to the program.
        if (prefix !== undefined) input += prefix;
        else {
          const command = COMMANDS[plainKey(key)];
          if (command !== undefined) commands.push(command);
          // Input after it was meant for something else.
          if (command === "detach") break;
        }
        continue;
      }
      const next = nextPrefix(rest);
      input += rest.slice(0, next?.at ?? rest.length);
      rest = next === undefined ? "" : rest.slice(next.at + next.form.length);
      this.armed = next !== undefined;
    }
    return { input: Buffer.from(input, "latin1"), commands };
  }
}

function isPlain(data: Buffer): boolean {
  if (data.length > 1) return !data.includes(PREFIX) && !data.includes(ESCAPE);
  return data[0] !== PREFIX && data[0] !== ESCAPE;
}

function nextPrefix(text: string): { at: number; form: string } | undefined {
  return PREFIX_FORMS.map((form) => ({ at: text.indexOf(form), form }))
    .filter(({ at }) => at !== -1)
    .toSorted((a, b) => a.at - b.at)[0];
}

function plainKey(key: string): string {
  const code = KITTY_KEY.exec(key)?.[1];
  return code === undefined ? key : String.fromCodePoint(Number(code));
}
