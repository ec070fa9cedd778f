/** Choices on recorded screens: the question, the options, the marked one. No dialog is recognised by its words. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { choose } from "../../src/status/choose.ts";
import { readChoice } from "../../src/status/choice.ts";
import type { TerminalOperator } from "../../src/status/terminal-operator.ts";
import type { Choice } from "../../src/status/shown-choice.ts";
import { recordedScreen, screenFile, shown } from "./support/screens.ts";

/** `*` before the marked option, `+` before checked ones, `…` after one that takes text. */
function told({ options }: Choice): string[] {
  return options.map(
    ({ number, label, isMarked, isChecked, takesText }) =>
      `${isMarked ? "*" : ""}${isChecked === true ? "+" : ""}${number === undefined ? "" : `${number} `}${label}${takesText === true ? " …" : ""}`,
  );
}

const CHOICES: readonly [agent: string, screen: string, question: string, options: string[]][] = [
  ["claude", "trust", "Quick safety check: Is this a project you created or one you trust?", ["*No, exit", "Yes, I trust this folder"]],
  ["claude", "bypass", "WARNING: Claude Code running in Bypass Permissions mode", ["*No, exit", "Yes, I accept"]],
  ["claude", "auto-mode", "Make auto mode your default permission mode?", ["*Yes, set auto mode as my default permission mode", "No, keep manual mode"]],
  ["claude", "permission", "Do you want to proceed?", ["*1 Yes", "2 Yes, and always allow access to /home/dev/shop-api from this project", "3 Yes, and switch to auto mode · auto mode handles these prompts for you", "4 No"]],
  ["claude", "question", "Which colour shall the mug have?", ["*1 Red", "2 Blue", "3 Type something. …", "4 Chat about this"]],
  ["claude", "questions", "Which colour shall the mug have?", ["*1 Red", "2 Blue", "3 Type something. …", "4 Chat about this"]],
  ["claude", "several", "Which toppings?", ["*1 Cheese", "2 Olives", "3 Onions", "4 Type something …", "Submit", "5 Chat about this"]],
  ["claude", "several-submit", "Which toppings?", ["+1 Cheese", "+2 Olives", "3 Onions", "4 Type something …", "*Submit", "5 Chat about this"]],
  ["claude", "review", "Ready to submit your answers?", ["*1 Submit answers", "2 Cancel"]],
  ["cn", "permission", "Would you like to continue?", ["*Continue (tab)", "Continue + don't ask again (shift+tab)", "No, and tell Continue what to do differently (esc) …"]],
  ["cn", "question", "Which colour shall the mug have?", ["*Red", "Blue"]],
  ["codex", "trust", "Trust this folder?", ["*1 Trust and continue", "2 Quit"]],
  ["codex", "models", "Select Model and Effort", ["*1 GPT-6.1-Sol", "2 GPT-6-Astra", "3 GPT-6-Sol", "4 GPT-6-Luna", "5 GPT-5.6-Sol", "6 GPT-6.1 Terra", "7 GPT-5.6-Terra", "8 GPT-5.6-Luna"]],
  ["codex", "question", "Which size?", ["*1 Red", "2 Blue", "3 None of the above …"]],
  ["codex", "sign-in", "Choose how you want to use Codex.", ["*1 Sign in with ChatGPT", "2 Sign in with Device Code", "3 Use an OpenAI API key", "4 Use Amazon Bedrock"]],
  ["copilot", "trust", "Do you trust the files in this folder?", ["*1 Yes", "2 Yes, and remember this folder for future sessions", "3 No (Esc)"]],
  ["copilot", "question", "Which colour shall the mug have?", ["*Red", "Blue", "Other (type your answer) …"]],
  ["copilot", "own-words", "Which colour shall the mug have?", ["Red", "Blue", "*Other (type your answer below) …"]],
  ["copilot", "permission", "Do you want to run this command?", ["*1 Yes", "2 No, and tell Copilot what to do differently (Esc to stop) …"]],
  ["cline", "permission", "Approve tool call?", ["*y Approve", "n Deny"]],
  ["cline", "question", "Which colour shall the mug have?", ["*Red", "Blue", "Type a response... …"]],
  ["droid", "trust", "Trust this folder?", ["*1 Trust this folder", "2 Exit without trusting"]],
  ["droid", "permission", "Command to approve · low risk ↳ echo from-the-tool > made.txt && cat made.txt Why this needs approval: Writes a file.", ["*Yes, allow", "Yes, and always allow low impact commands (file edits and read-only commands)", "No, cancel"]],
  ["droid", "permission-write", "Create new.txt Create new.txt: (+2 added)", ["*Yes, allow", "Yes, and always allow low impact commands (file edits and read-only commands)", "No, cancel"]],
  ["droid", "question", "Which colour shall the mug have?", ["*1 Red", "2 Blue", "Or type your own answer... …"]],
  ["droid", "own-words", "Which colour shall the mug have?", ["1 Red", "2 Blue", "*Or type your own answer... …"]],
  ["droid", "several", "Which toppings?", ["*1 Cheese", "2 Olives", "3 Onions", "Or type your own answer... …", "Submit"]],
  ["gemini", "trust", "Do you trust the files in this folder?", ["*1 Trust folder (shop)", "2 Trust parent folder (dev)", "3 Don't trust"]],
  ["gemini", "permission", "Allow execution of [Shell]?", ["*1 Allow once", "2 Allow for this session", "3 No, suggest changes (esc)"]],
  ["gemini", "question", "Which colour shall the mug have?", ["*1 Red", "2 Blue", "3 Enter a custom value …"]],
  ["gemini", "several", "Which toppings?", ["*1 Cheese", "2 Olives", "3 Onions"]],
  ["gemini", "several-done", "Which toppings?", ["4 All of the above", "5 Enter a custom value …", "*Done"]],
  ["gemini", "sign-in", "How would you like to authenticate for this project?", ["*1 Sign in with Google", "2 Use Gemini API Key", "3 Vertex AI"]],
  ["grok", "permission", "echo from-the-tool > made.txt && cat made.txt", ["*1 Yes, and don't ask again for anything (always-approve mode)", "2 Yes, proceed", "3 No, reject (type to add feedback) …", "4 Never allow: echo"]],
  ["grok", "question", "Which colour shall the mug have?", ["*1 Red", "2 Blue", "z Type your answer here …"]],
  ["grok", "several", "Which toppings?", ["*1 Cheese", "2 Olives", "3 Onions", "z Type your answer here …"]],
  ["kimi", "trust", "Trust this folder?", ["*Trust this folder", "Don't trust"]],
  ["kimi", "permission", "Run this command?", ["*1 Approve once", "2 Approve for this session", "3 Reject", "4 Reject with feedback"]],
  ["kilo", "permission", "echo from-the-tool > made.txt && cat made.txt", ["*Allow once", "Allow always", "Reject"]],
  ["kimi", "question", "Which colour shall the mug have?", ["*1 Red", "2 Blue", "3 Other …"]],
  ["kimi", "review", "Ready to submit your answers?", ["*1 Submit", "2 Cancel"]],
  ["opencode", "question", "Which colour shall the mug have?", ["*1 Red", "2 Blue", "3 Type your own answer …"]],
  ["opencode", "several", "Which toppings?", ["*1 Cheese", "2 Olives", "3 Onions", "4 Type your own answer …"]],
  ["opencode", "permission", "echo from-the-tool > made.txt && cat made.txt", ["*Allow once", "Allow always", "Reject"]],
  ["qwen", "trust", "Do you trust this folder?", ["*1 Trust folder (shop)", "2 Trust parent folder (dev)", "3 Don't trust (esc)"]],
  ["qwen", "permission", "Allow execution of: 'echo'?", ["*1 Yes, allow once", "2 Always allow run 'echo *' commands in this project", "3 Always allow run 'echo *' commands for this user", "4 No, suggest changes (esc)"]],
  ["qwen", "permission-write", "Apply this change?", ["*1 Yes, allow once", "2 Yes, allow always", "3 No, suggest changes (esc)"]],
  ["qwen", "question", "Which colour shall the mug have?", ["*1 Red", "2 Blue", "3 Type something... …"]],
  ["qwen", "question-scrolled", "Which colour shall the mug have?", ["*1 Red", "2 Blue", "3 Type something... …"]],
  ["qwen", "several", "Which toppings?", ["*1 Cheese", "2 Olives", "3 Onions", "4 Type something... …"]],
  ["pi", "trust", "Trust project folder?", ["*Trust", "Trust parent folder (/home/user)", "Trust (this session only)", "Do not trust", "Do not trust (this session only)"]],
]; // prettier-ignore

describe("a choice on the screen", () => {
  it.each(CHOICES)("of %s (%s) is read", (agent, name, question, options) => {
    const choice = readChoice(recordedScreen(agent, name))!;
    expect([choice?.question, choice && told(choice)]).toEqual([question, options]);
  });

  it("of checkboxes can have several answers", () => {
    for (const agent of ["claude", "qwen"]) {
      const kinds = ["question", "several"].map((name) => readChoice(recordedScreen(agent, name))!.isSeveral);
      expect(kinds).toEqual([false, true]);
    }
  });

  it("that scrolls is marked as such", () => {
    const lists = [
      ["codex", "models"],
      ["gemini", "themes"],
      ["gemini", "several"],
      ["gemini", "trust"],
      ["claude", "question"],
    ] as const;
    const scrolls = lists.map(([agent, name]) => readChoice(recordedScreen(agent, name))!.isScrolled);
    expect(scrolls).toEqual([true, true, true, false, false]);
    expect(readChoice(recordedScreen("gemini", "themes"))!.options).toContainEqual({
      number: "4",
      label: "Default Dark (Matches ter…",
      isMarked: true,
    });
  });

  it("of buttons side by side has their positions", () => {
    expect(readChoice(recordedScreen("opencode", "permission"))!.isAcross).toBe(true);
  });
});

it("takes text even if the option's label changes while it is marked", async () => {
  const [asked, own] = ["question", "own-words"].map((name) => recordedScreen("copilot", name));
  let marked = 0;
  let written = "";
  let isOver = false;
  const operator: TerminalOperator = {
    rows() {
      if (isOver) return shown("❯ ");
      if (marked === 2)
        return own!.map((row) => ({
          ...row,
          text: row.text.replace("Type your answer...", (held) => written || held),
        }));
      return asked!.map((row) => ({
        ...row,
        text: marked === 0 ? row.text : row.text.replace("❯ Red", "  Red").replace("  Blue", "❯ Blue"),
      }));
    },
    press(key) {
      if (key === "down") marked++;
      else if (key === "enter" && written !== "") isOver = true;
    },
    say: (text) => void (written += text),
  };
  const choice = readChoice(asked!)!;
  expect(await choose(operator, choice, "with 3 green dots")).toEqual({
    isTaken: true,
    option: "Other (type your answer)",
  });
  expect(written).toBe("with 3 green dots");
});

it("types an own answer where a dialog ignores pastes", async () => {
  let marked = 0;
  let written = "";
  let isOver = false;
  const rows = () => {
    const labels = ["Red", "Blue", written || "Type a response..."];
    const options = labels.map((label, at) => `${at === marked ? ">" : " "} ${label}`);
    return shown(isOver ? "❯ " : `Which colour?\n\n${options.join("\n")}\n\n↑/↓ navigate, enter to select`);
  };
  const operator: TerminalOperator = {
    rows,
    press(key) {
      if (key === "down") marked++;
      else if (key === "enter" && written !== "") isOver = true;
    },
    say: () => undefined,
    fill: (text) => void (written += text),
  };
  const { isTaken } = await choose(operator, readChoice(rows())!, "with 3 green dots");
  expect([isTaken, written]).toEqual([true, "with 3 green dots"]);
});

it("refuses without a reason where one is asked for after the refusal", async () => {
  const swapped = (label: string): string => (label === "Reject" ? "Allow once" : "Reject");
  const asked = shown(readFileSync(screenFile("kilo", "permission"), "utf8").replaceAll(/Reject|Allow once/g, swapped));
  const screens = [asked, recordedScreen("kilo", "reason"), shown("❯ ")];
  const keys: string[] = [];
  const operator: TerminalOperator = {
    rows: () => screens[keys.length]!,
    press: (key) => void keys.push(key),
    say: () => undefined,
  };
  expect(await choose(operator, readChoice(asked)!, "deny")).toEqual({ isTaken: true, option: "Reject" });
  expect(keys).toEqual(["enter", "enter"]);
});

describe("a choice is not taken for a draft", () => {
  it.each([
    [
      "behind a rule, with a hint",
      "Do you trust the files in this folder?\n────────\n❯ 1. Yes, proceed\n  2. No, exit\n────────\nEnter to confirm · Esc to cancel",
    ],
    ["behind a rule, with a question", "Do you trust this folder?\n────────\n❯ 1. Yes\n  2. No"],
    ["below a heading", "Pick a model:\n\n> 1. Default\n  2. Opus"],
    ["with a hint below", "Select a model\n━━━━━━━━\n> 1. gpt-5\n  2. gpt-5-mini\n\nPress enter to continue"],
  ])("%s", (_, text) => {
    expect(readChoice(shown(text))?.options.map(({ number, isMarked }) => [number, isMarked])).toEqual([
      ["1", true],
      ["2", false],
    ]);
  });
});

describe("no choice", () => {
  it.each([
    ["cn", "sign-in"],
    ["cn", "start"],
    ["cn", "working"],
    ["codex", "start"],
    ["codex", "sign-in-browser"],
    // "Press Enter to open" is no button.
    ["cline", "offer"],
    ["cline", "sign-in"],
    ["cline", "start"],
    ["copilot", "start"],
    ["droid", "start"],
    ["gemini", "start"],
    // A message of several lines, cut off with "…".
    ["grok", "sent-message"],
    ["grok", "sign-in"],
    ["grok", "start"],
    ["kilo", "reason"],
    ["kimi", "start"],
    // What is marked shows only in its colour.
    ["kimi", "several"],
    ["opencode", "start"],
    ["pi", "start"],
    ["qwen", "start"],
  ])("is seen on the screen of %s (%s)", (agent, name) => {
    expect(readChoice(recordedScreen(agent, name))).toBeUndefined();
  });

  it.each(["claude", "codex", "copilot", "gemini", "opencode", "pi"])(
    "is a numbered list in the input line of %s",
    (agent) => {
      const screen = recordedScreen(agent, "draft");
      expect(screen.some(({ text }) => /1\. do this/.test(text))).toBe(true);
      expect(readChoice(screen)).toBeUndefined();
    },
  );

  it.each([
    [
      "a prompt of two lines above the input line",
      "❯ first line\n  second line\n\n● Done.\n\n────────\n❯ \n────────\n  ? for shortcuts",
    ],
    ["two lines in the input line", "────────\n❯ first line\n  second line\n────────\n  esc to interrupt"],
    ["a numbered list that was said", "● Steps:\n  1. Look\n  2. Act\n\n────────\n❯ \n────────"],
    ["a choice that was answered", "❯ 1. Yes\n  2. No\n\n● Done.\n\n› Ask anything\n\n  gpt-5 · ~/shop"],
    ["an input line with a hint below", "› Ask Codex to do anything\n\n  gpt-5 · enter to send"],
    ["options of which none is marked", "Go on?\n\n  1. Yes\n  2. No"],
    ["what an agent says in two lines", "● Bash(psql)\n  Renames the table, keeps its rows"],
    ["what an agent says above a hint", "● Bash(psql)\n  Renames the table\n\n  esc to interrupt"],
    ["nothing", ""],
  ])("is %s", (_, text) => {
    expect(readChoice(shown(text))).toBeUndefined();
  });

  it("is a sent message with a background of its own, above the input line", () => {
    const rows = shown("● What next?\n\n> /model\n  ⎿  Set model to Opus\n\n────────\n❯ \n────────\n  ? for shortcuts");
    const colored = rows.map((row, at) => (at === 2 ? { ...row, looks: [{ at: 0, ink: 1, ground: 7 }] } : row));
    expect(readChoice(colored)).toBeUndefined();
  });

  it("is a list with a step in bold above a line about work in progress", () => {
    const rows = shown("Plan:\n1. First\n2. Second\n3. Third\n\n✻ Thinking… (12s · ↑ 1.2k tokens · esc to interrupt)");
    const bold = rows.map((row, at) => ({ ...row, looks: [{ at: 0, ink: 1, ground: 0, isBold: at === 1 }] }));
    expect(readChoice(bold)).toBeUndefined();
  });
});
