/**
 * The model's answer, chosen by a word in the last prompt. Every answer has its own number of tokens, so that double or missing
 * counts show.
 */
export interface Asked {
  /** The user's last prompt. */
  prompt: string;
  /** A tool has answered since. */
  hasToolResult: boolean;
  /** Names of the tools it may call; side requests (titles, summaries) have none. */
  tools: readonly string[];
}

export interface Usage {
  /** Neither read from nor written to the cache. */
  input: number;
  cached: number;
  output: number;
}

export type Answer =
  | { kind: "text"; text: string; usage: Usage }
  | { kind: "tool"; name: string; input: Record<string, unknown>; usage: Usage }
  /** The first words, then nothing more. */
  | { kind: "stall"; text: string; usage: Usage }
  | { kind: "refusal"; status: number; message: string; retryAfterSeconds?: number };

export interface Served {
  asked: Asked;
  /** The whole request. */
  body: string;
  answer: Answer;
  model: string;
}

export const WORDS = {
  tool: "USE-A-TOOL",
  /** The tool must run outside of the agent's sandbox, if it has one. */
  outside: "OUTSIDE",
  stall: "WRITE-FOR-EVER",
  broken: "FAIL-WITH-400",
  busyOnce: "BE-BUSY-ONCE",
  busy: "BE-BUSY-ALWAYS",
  /** Asks the user with the agent's own tool; followed by a name of QUESTIONS. */
  ask: "ASK-ME-",
  /** Followed by a word that the answer repeats. */
  say: "SAY-",
};

/** It writes, so it needs permission. */
export const SHELL_COMMAND = "echo from-the-tool > made.txt && cat made.txt";

/** Each agent's tool that runs a command, and its arguments. */
const SHELLS: Readonly<Record<string, (command: string, outside: boolean) => Record<string, unknown>>> = {
  Bash: (command) => ({ command, description: "say it" }),
  bash: (command) => ({ command, description: "say it" }),
  run_shell_command: (command) => ({ command, description: "say it", is_background: false }),
  exec_command: (command, outside) => ({
    cmd: command,
    ...(outside && { sandbox_permissions: "require_escalated", justification: "May I?" }),
  }),
  shell_command: (command) => ({ command }),
  run_terminal_command: (command) => ({ command, description: "say it" }),
  run_commands: (command) => ({ commands: [command] }),
  Execute: (command) => ({ summary: "say it", command, riskLevel: "low", riskLevelReason: "Writes a file." }),
  shell: (command) => ({ command: ["bash", "-c", command] }),
};

interface Question {
  question: string;
  header: string;
  options: readonly { label: string; description: string }[];
  multiSelect: boolean;
}

const COLOUR: Question = {
  question: "Which colour shall the mug have?",
  header: "Colour",
  options: [
    { label: "Red", description: "A red mug" },
    { label: "Blue", description: "A blue mug" },
  ],
  multiSelect: false,
};

const TOPPINGS: Question = {
  question: "Which toppings?",
  header: "Toppings",
  options: [
    { label: "Cheese", description: "From cows" },
    { label: "Olives", description: "From trees" },
    { label: "Onions", description: "From the ground" },
  ],
  multiSelect: true,
};

/** By the letters after the word in the prompt. */
export const QUESTIONS: Readonly<Record<string, readonly Question[]>> = {
  one: [COLOUR],
  several: [TOPPINGS],
  both: [COLOUR, { ...COLOUR, question: "Which size?", header: "Size" }],
};

/** Each agent's tool that asks the user, and its arguments. */
const ASKING: Readonly<Record<string, (questions: readonly Question[], isKimi: boolean) => Record<string, unknown>>> = {
  AskUserQuestion: (questions, isKimi) => ({
    questions: isKimi
      ? questions.map(({ multiSelect, ...rest }) => ({ ...rest, multi_select: multiSelect }))
      : questions,
  }),
  ask_user_question: (questions) => ({ questions }),
  AskUser: (questions) => ({
    questionnaire: questions
      .map(({ question, header, options, multiSelect }, at) =>
        [
          `${at + 1}. [question] ${question}${multiSelect ? " (multi)" : ""}`,
          `[topic] ${header}`,
          ...options.map(({ label }) => `[option] ${label}`),
          "",
        ].join("\n"),
      )
      .join("\n"),
  }),
  ask_question: ([first]) => ({ question: first!.question, options: first!.options.map(({ label }) => label) }),
  AskQuestion: ([first]) => ({ question: first!.question, options: first!.options.map(({ label }) => label) }),
  request_user_input: (questions) => ({
    questions: questions.map(({ multiSelect: _, ...rest }, at) => ({ id: `q${at}`, ...rest })),
  }),
  question: (questions) => ({
    questions: questions.map(({ multiSelect, ...rest }) => ({ ...rest, multiple: multiSelect })),
  }),
  ask_user: (questions) => ({
    questions: questions.map((question) => ({ ...question, type: "choice" })),
    // Copilot's takes a form.
    message: questions[0]!.question,
    requestedSchema: {
      type: "object",
      properties: Object.fromEntries(
        questions.map(({ header, question, options }) => [
          header.toLowerCase(),
          { type: "string", title: question, enum: options.map(({ label }) => label) },
        ]),
      ),
      required: questions.map(({ header }) => header.toLowerCase()),
    },
  }),
};

export class ScriptedModel {
  readonly served: Served[] = [];
  readonly #refused = new Set<string>();
  readonly #waiting: (() => void)[] = [];

  /** Resolves when an answer stalls. */
  whenStalled(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  answer(request: Asked, model: string, body: string): Answer {
    // Grok sums up each turn in a request that lists its tools and forbids them.
    const asked = body.includes("Do NOT call any tools") ? { ...request, tools: [] } : request;
    const answer = this.#decide(asked);
    this.served.push({ asked, answer, model, body });
    if (answer.kind === "stall") for (const resolve of this.#waiting.splice(0)) resolve();
    return answer;
  }

  #decide({ prompt, hasToolResult, tools }: Asked): Answer {
    const number = this.served.length + 1;
    const usage = { input: 1000 + number, cached: 500 + number, output: 20 + number };
    const said = (word: string): boolean => prompt.includes(word);
    if (tools.length === 0) return { kind: "text", text: "A title", usage };
    if (said(WORDS.broken)) return { kind: "refusal", status: 400, message: "The request is malformed." };
    if (said(WORDS.busy)) return busy();
    if (said(WORDS.busyOnce) && !this.#refused.has(prompt)) {
      this.#refused.add(prompt);
      return busy();
    }
    if (said(WORDS.stall)) return { kind: "stall", text: "Once upon a time ", usage };
    const shell = Object.keys(SHELLS).find((name) => tools.includes(name));
    // An agent that may not run commands does not offer the tool.
    if (said(WORDS.tool) && !hasToolResult && shell !== undefined) {
      return { kind: "tool", name: shell, input: SHELLS[shell]!(SHELL_COMMAND, said(WORDS.outside)), usage };
    }
    const questions = QUESTIONS[new RegExp(`${WORDS.ask}([a-z]+)`).exec(prompt)?.[1] ?? ""];
    const asking = Object.keys(ASKING).find((name) => tools.includes(name));
    if (questions !== undefined && !hasToolResult && asking !== undefined) {
      return { kind: "tool", name: asking, input: ASKING[asking]!(questions, tools.includes("AgentSwarm")), usage };
    }
    const word = new RegExp(`${WORDS.say}([a-z]+)`).exec(prompt)?.[1];
    if (word !== undefined) return { kind: "text", text: `${word}-ANSWERED`, usage };
    return { kind: "text", text: hasToolResult ? "The tool has spoken." : "Understood.", usage };
  }
}

function busy(): Answer {
  return { kind: "refusal", status: 429, message: "Too many requests, rate limit reached.", retryAfterSeconds: 1 };
}
