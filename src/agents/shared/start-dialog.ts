/**
 * What agents show before they begin: choices (whether a folder is trusted, whether a warning was understood), and that somebody
 * has to sign in. No hook tells of them, because hooks are among what is not trusted yet, so they are read off the screen.
 */
import type { StartChoice, StartDialog } from "../status-hooks.ts";

/** How an agent words one: what it asks, and how the lines begin that stand for yes and no. */
export interface DialogWords {
  question: RegExp;
  allow: RegExp;
  deny: RegExp;
}

/** How it words that somebody has to sign in. */
export interface SignInWords {
  /** How a line begins that stands nowhere else. */
  line: RegExp;
  /** What it says is to be done; the first that is there. */
  asks: readonly RegExp[];
}

const FRAME = /^[\s│┃]+|[\s│┃]+$/gu;
const MARK = /^[❯›●→>]\s+/u;
const NUMBER = /^\d+\.\s+/;

export function startDialogOf(words: readonly DialogWords[], signIn?: SignInWords) {
  return (screen: readonly string[]): StartDialog | undefined => {
    const lines = screen.map((line) => line.replaceAll(FRAME, ""));
    // A narrow terminal breaks the question into lines.
    const text = lines.join(" ").replaceAll(/\s+/g, " ");
    for (const { question, allow, deny } of words) {
      const asked = question.exec(text)?.[0];
      const dialog = asked === undefined ? undefined : choicesIn(lines, allow, deny);
      if (asked !== undefined && dialog !== undefined) return { question: asked, ...dialog };
    }
    const choices = lines.map(plainChoice);
    if (signIn === undefined || !choices.some((line) => signIn.line.test(line))) return undefined;
    const question = signIn.asks.map((words) => words.exec(text)?.[0]).find((words) => words !== undefined);
    return question === undefined ? undefined : { question, isSignIn: true };
  };
}

function plainChoice(line: string): string {
  return line.replace(MARK, "").replace(NUMBER, "");
}

/** The last lines that fit: what was asked before may still stand above. */
function choicesIn(lines: readonly string[], allow: RegExp, deny: RegExp): Omit<StartChoice, "question"> | undefined {
  const choices = lines.map(plainChoice);
  const allowed = choices.findLastIndex((choice) => allow.test(choice));
  const denied = choices.findLastIndex((choice) => deny.test(choice));
  const marked = lines.findLastIndex((line) => MARK.test(line));
  if (allowed === -1 || denied === -1 || marked === -1) return undefined;
  // Further choices may stand between them; a mark elsewhere is that of an input line.
  if (marked < Math.min(allowed, denied) || marked > Math.max(allowed, denied)) return undefined;
  return { allow: Math.sign(allowed - marked), deny: Math.sign(denied - marked) };
}
