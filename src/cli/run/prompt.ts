/** The prompt of `amux run`, from its argument, file or standard input. */
import { readFileSync } from "node:fs";
import { text as readAll } from "node:stream/consumers";
import { AgentMuxError } from "../../core/errors.ts";
import { usageError, type Invocation } from "../command.ts";

/**
 * Separates agent and prompt. A single argument with blanks, or one that is `certainlyNoAgent`, is a prompt for the agent of a
 * profile or setting.
 */
export function splitArguments(
  given: readonly string[],
  named: string | undefined,
  certainlyNoAgent: (word: string) => boolean = () => false,
): { agent: string | undefined; argument: string | undefined } {
  const [first, second] = given;
  if (named !== undefined) {
    if (second !== undefined) throw usageError("The agent is given twice: as argument and as --agent.");
    return { agent: named, argument: first };
  }
  if (second === undefined && first !== undefined && (/\s/.test(first) || certainlyNoAgent(first)))
    return { agent: undefined, argument: first };
  return { agent: first, argument: second };
}

/** Undefined without a prompt or piped input. `-` as prompt or file is standard input. */
export async function promptOf(invocation: Invocation, argument: string | undefined): Promise<string | undefined> {
  const given = { argument, "--prompt": invocation.text("prompt"), "--file": invocation.text("file") };
  const sources = Object.entries(given).filter(([, value]) => value !== undefined);
  if (sources.length > 1) {
    throw usageError(`The prompt is given twice: as ${sources.map(([name]) => name).join(" and as ")}.`);
  }
  const file = given["--file"];
  if (file !== undefined && file !== "-") return readPrompt(file);
  const prompt = argument ?? given["--prompt"];
  if (prompt !== undefined && prompt !== "-") return prompt;
  if (prompt === undefined && file === undefined && process.stdin.isTTY) return undefined;
  const piped = await readAll(process.stdin);
  return piped.trim() === "" ? undefined : piped;
}

function readPrompt(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new AgentMuxError("VALIDATION_ERROR", `${path} cannot be read (${code}).`, { cause: error });
  }
}
