import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { State } from "../core/state.ts";
import { answerAgent } from "./answer.ts";
import type { DeliveryPort } from "./delivery-port.ts";
import { sendMessage } from "./deliver.ts";
import { optionsOnWire, withOffer } from "./question-options.ts";
import type { Choice } from "./shown-choice.ts";
import type { QuestionState } from "./current-question.ts";

/** The screen changes at once: only the pauses would take time. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  vi.setTimerTickMode("nextTimerAsync");
});
afterEach(() => void vi.useRealTimers());

/** A terminal with a dialog that takes arrows and Enter, and an agent that may have a waiting hook. */
class Agent implements DeliveryPort {
  standingNow: QuestionState = { state: "permission", ask: "a1", since: 1 };
  question = "Do you want to proceed?";
  options: string[] = [];
  marked = 0;
  input = "";
  readonly log: string[] = [];
  hasHook = true;
  onSay: () => void = () => undefined;
  onEnter: () => void = () => (this.options = []);

  readonly standing = (): QuestionState => this.standingNow;
  readonly isAgent = (): boolean => true;
  readonly rows = (): { text: string }[] => {
    const options = this.options.map((label, at) => `${at === this.marked ? "❯" : " "} ${label}`);
    const lines = options.length > 0 ? [this.question, "", ...options] : ["────", `❯ ${this.input}`, "────"];
    return lines.flatMap((line) => line.split("\n")).map((text) => ({ text }));
  };
  readonly press = (key: string): void => {
    if (key === "down") this.marked = Math.min(this.options.length - 1, this.marked + 1);
    else if (key === "up") this.marked = Math.max(0, this.marked - 1);
    else if (key === "enter") {
      this.log.push(`enter:${this.options[this.marked] ?? this.input}`);
      this.input = "";
      this.onEnter();
    } else this.log.push(key);
  };
  readonly say = (text: string): void => {
    this.input += text;
    this.onSay();
  };
  readonly decide = (behavior: string, message: string | undefined): boolean => {
    if (!this.hasHook) return false;
    this.log.push(`${behavior}:${message ?? ""}`);
    this.goOn();
    return true;
  };

  goOn(state: State = "working"): void {
    this.standingNow = { state, since: this.standingNow.since + 1 };
  }
}

const PERMISSION = ["1. Yes", "2. Yes, and don't ask again for: make *", "3. No, and do something else (esc)"];

function asking(options: readonly string[] = PERMISSION): Agent {
  const agent = new Agent();
  agent.options = [...options];
  agent.onEnter = () => {
    agent.options = [];
    agent.goOn();
  };
  return agent;
}

function idle(): Agent {
  const agent = new Agent();
  agent.standingNow = { state: "idle", since: 1 };
  agent.onEnter = () => agent.goOn();
  return agent;
}

test("Deny of a waiting hook is never a number that means Yes on the screen", async () => {
  const since = new Date(1).toISOString();
  const offer = withOffer({ state: "permission", held: true, source: "hook", since }, undefined).options;
  expect(offer).toEqual([{ label: "Allow" }, { label: "Deny" }]);
  const agent = asking();
  await answerAgent(agent, { answer: offer![1]!.label });
  expect(agent.log).toEqual(["deny:"]);
});

test("a permission without words of its own is shown with the question on the screen", () => {
  const since = new Date(1).toISOString();
  const options = ["Yes, proceed", "No"].map((label, at) => ({ label, isMarked: at === 0 }));
  const question = "Would you like to run the following command?";
  const choice: Choice = { question, options, isSeveral: false, isAcross: false, isScrolled: false };
  const bare = { state: "permission", source: "agent", since, at: since } as const;
  expect(withOffer(bare, choice).message).toBe(question);
  expect(withOffer({ ...bare, message: "Bash: make" }, choice).message).toBe("Bash: make");
});

test("a number decides nothing where no option can be read", async () => {
  const agent = asking([]);
  await expect(answerAgent(agent, { answer: "1" })).rejects.toThrow("Answer with allow or deny");
  expect(agent.log).toEqual([]);
});

test.each([
  ["approve", ["allow:"]],
  ["Accept", ["allow:"]],
  ["reject", ["deny:"]],
  ["constructor", ["deny:constructor"]],
  ["don't ask again", ["enter:2. Yes, and don't ask again for: make *"]],
  ["2", ["enter:2. Yes, and don't ask again for: make *"]],
  ["use npm", ["deny:use npm"]],
])("with a waiting hook %s gives %j", async (answer, log) => {
  const agent = asking();
  expect(await answerAgent(agent, { answer })).toMatchObject({ confirmed: true });
  expect(agent.log).toEqual(log);
});

test.each(["ok", "Sure, go ahead", "yes please", "👍", "allow it", "  "])(
  "with a waiting hook %j is refused, since it would deny",
  async (answer) => {
    for (const agent of [asking(), asking([])]) {
      agent.standingNow = { ...agent.standingNow, held: true };
      await expect(answerAgent(agent, { answer })).rejects.toThrow(/Nothing was (?:decided|typed)/);
      expect(agent.log).toEqual([]);
    }
  },
);

test("an answer does not go to another question with the same options", async () => {
  const agent = asking(["1. Yes", "2. No"]);
  agent.hasHook = false;
  const { press } = agent;
  const moved = (key: string): void => {
    press(key);
    agent.question = "Do you want to delete everything?";
  };
  await expect(answerAgent({ ...agent, press: moved }, { answer: "2" })).rejects.toThrow("asks something else now");
  expect(agent.log).toEqual([]);
});

test("of two identical options none is chosen", async () => {
  const agent = asking(["Keep", "Trust", "Trust"]);
  agent.hasHook = false;
  await expect(answerAgent(agent, { answer: "2" })).rejects.toThrow("more than once");
  expect(agent.log).toEqual([]);
});

test("an answer is accepted even if the next dialog looks the same, and gets no Escape", async () => {
  const agent = asking();
  agent.hasHook = false;
  agent.onEnter = () => (agent.standingNow = { state: "permission", ask: "a2", since: 2 });
  expect(await answerAgent(agent, { answer: "3" })).toMatchObject({ receipt: "delivered", confirmed: true });
  expect(agent.log).toEqual(["enter:3. No, and do something else (esc)"]);
});

test.each([
  ["a dialog", (agent: Agent) => (agent.options = ["1. Yes", "2. No"])],
  ["a permission", (agent: Agent) => agent.goOn("permission")],
])("Enter is not pressed on %s that opens while a message is typed", async (_, opens) => {
  const agent = idle();
  agent.onSay = () => opens(agent);
  await expect(sendMessage(agent, "Yes", false)).rejects.toThrow("Enter was not pressed");
  expect(agent.log).toEqual([]);
});

test.each(["idle", "done", "error", "working", undefined] as const)(
  "words for a session that asks nothing are neither typed nor called an answer: %s",
  async (state) => {
    const agent = idle();
    const port = { ...agent, standing: () => (state === undefined ? undefined : { state, since: 1 }) };
    for (const answer of ["allow", "hello there"]) {
      await expect(answerAgent(port, { answer })).rejects.toMatchObject({
        code: "NO_PENDING_INTERACTION",
        message: expect.stringContaining(
          `asks nothing; its state is ${state ?? "unknown"}. Nothing was typed.`,
        ) as string,
      });
    }
    expect([agent.input, agent.log]).toEqual(["", []]);
  },
);

test("words for an open question are an answer", async () => {
  const agent = idle();
  agent.standingNow = { state: "waiting", since: 1 };
  expect(await answerAgent(agent, { answer: "the second one" })).toMatchObject({ via: "typed", confirmed: true });
  expect(agent.log).toEqual(["enter:the second one"]);
});

test("a message is forced on a dialog that opens while it is typed", async () => {
  const agent = idle();
  agent.onSay = () => void (agent.options = ["1. Yes", "2. No"]);
  expect(await sendMessage(agent, "go", true)).toBe("delivered");
  expect(agent.log).toEqual(["enter:1. Yes"]);
});

test("a message that a notice swallowed is not delivered", async () => {
  const agent = idle();
  agent.onEnter = () => undefined;
  let isNotice = true;
  const rows = (): { text: string }[] => (isNotice ? [{ text: "A new model is here!" }] : agent.rows());
  const say = (): void => void (isNotice = false);
  expect(await sendMessage({ ...agent, rows, say }, "hello there", false)).toBe("not_taken");
});

test("a message of numbered lines is not a dialog", async () => {
  const agent = idle();
  const rows = (): { text: string }[] =>
    agent.input.split("\n").map((line, at) => ({ text: `${at === 0 ? "❯" : " "} ${line}` }));
  expect(await sendMessage({ ...agent, rows }, "1. Look\n2. Act", false)).toBe("delivered");
  expect(agent.log).toEqual(["enter:1. Look\n2. Act"]);
});

test("no more options are offered than the wire format allows", () => {
  const options = Array.from({ length: 120 }, (_, at) => ({ label: `Theme ${at}`, isMarked: at === 0 }));
  const choice: Choice = { question: "?", options, isSeveral: false, isAcross: false, isScrolled: true };
  expect(optionsOnWire(choice).map(({ number }) => number)).toHaveLength(99);
  expect(optionsOnWire(choice).at(-1)?.number).toBe("99");
});

test("an answer for another question is refused, and nothing is typed", async () => {
  const agent = Object.assign(asking(), { asked: (choice: Choice | undefined) => choice?.question });
  agent.hasHook = false;
  const refused = answerAgent(agent, { answer: "1", asked: "Delete the branch?" });
  await expect(refused).rejects.toThrow("asks something else now: Do you want to proceed? Options: 1 Yes");
  expect([agent.marked, agent.log]).toEqual([0, []]);
  const answered = await answerAgent(agent, { answer: "1", asked: "Do you want to proceed?" });
  expect([answered.confirmed, agent.log]).toEqual([true, ["enter:1. Yes"]]);
});

test("a permission reported before its options were read is the same question", async () => {
  const asked = (choice: Choice | undefined): string => (choice === undefined ? "early" : "with options");
  const agent = Object.assign(asking(), { asked });
  agent.hasHook = false;
  const answered = await answerAgent(agent, { answer: "1", asked: "early" });
  expect([answered.confirmed, agent.log]).toEqual([true, ["enter:1. Yes"]]);
});

test("words already on the screen do not count as typed", async () => {
  const agent = asking(["1. Red", "2. Type something"]);
  agent.question = "You said green dots. Which colour?";
  agent.standingNow = { state: "waiting", since: 1 };
  agent.onEnter = () => undefined;
  const refused = answerAgent(agent, { answer: "green dots" });
  await expect(refused).rejects.toThrow('The text did not appear in "Type something"');
});
