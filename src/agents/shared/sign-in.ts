/** Detects sign-in screens of agents. Signing in happens at the terminal, and no hook reports it. */

/** The agent's wording. */
export interface SignInWords {
  /** A line prefix that occurs nowhere else. */
  line: RegExp;
  /** The instructions on the screen; the first match is used. */
  asks: readonly RegExp[];
}

const FRAME = /^[\s│┃]+|[\s│┃]+$/gu;
const MARK = /^[❯›●→>]\s+/u;
const NUMBER = /^\d+\.\s+/;

export function signInOf({ line: sign, asks }: SignInWords) {
  return (screen: readonly string[]): string | undefined => {
    const lines = screen.map((line) => line.replaceAll(FRAME, ""));
    if (!lines.some((line) => sign.test(line.replace(MARK, "").replace(NUMBER, "")))) return undefined;
    // A narrow terminal wraps the question.
    const text = lines.join(" ").replaceAll(/\s+/g, " ");
    return asks.map((words) => words.exec(text)?.[0]).find((words) => words !== undefined);
  };
}
