/** What agents show when somebody has to sign in, which is done at the terminal and nowhere else. No hook tells of it. */

/** How an agent words it. */
export interface SignInWords {
  /** How a line begins that stands nowhere else. */
  line: RegExp;
  /** What it says is to be done; the first that is there. */
  asks: readonly RegExp[];
}

const FRAME = /^[\s│┃]+|[\s│┃]+$/gu;
const MARK = /^[❯›●→>]\s+/u;
const NUMBER = /^\d+\.\s+/;

export function signInOf({ line: sign, asks }: SignInWords) {
  return (screen: readonly string[]): string | undefined => {
    const lines = screen.map((line) => line.replaceAll(FRAME, ""));
    if (!lines.some((line) => sign.test(line.replace(MARK, "").replace(NUMBER, "")))) return undefined;
    // A narrow terminal breaks the question into lines.
    const text = lines.join(" ").replaceAll(/\s+/g, " ");
    return asks.map((words) => words.exec(text)?.[0]).find((words) => words !== undefined);
  };
}
