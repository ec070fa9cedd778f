/** Grok Build in a terminal. */
import { playDialogs } from "../dialogs.mjs";

const options = [
  { label: "Red", description: "Like fire." },
  { label: "Blue", description: "Like the sea." },
];

const isReady = /❯/;

export async function play(stage) {
  await playBranches(stage);
  await playDialogs(stage, {
    args: [],
    isReady,
    isPermission: /No, reject/,
    // The first option would allow everything.
    allow: ["Down", "Enter"],
    question: ["ask_user_question", { questions: [{ question: "Which colour shall the mug have?", options }] }],
    stop: "C-c",
  });
}

/** A rewind to a prompt, to an earlier one, a summary, and a fork. */
async function playBranches(stage) {
  const { start, key, type, say, rest, until, screen, service, project, show } = stage;
  start([], project("shop-branches"));
  await until("the start", () => isReady.test(screen()), 120_000);
  await rest();
  await say("First question: what is x?", { text: "x is 1." });
  await say("Second question: what is y?", { text: "y is 2." });
  await say("Third question: what is z?", { text: "z is 3." });
  await rewind();
  show("rewound");
  service.state.queue.push({ text: "z is 4 now." });
  await key("Enter");
  await until("the answer", () => screen().includes("z is 4 now."));
  await rest();
  await rewind("Down");
  show("rewound twice");
  await key("End", "C-u");
  await say("Instead: what is w?", { text: "w is 5." });
  show("instead");
  // It takes no short one.
  service.state.queue.push({ text: "Summary: x is 1, and w is 5. ".repeat(40) });
  await type("/compact");
  await until("the summary", () => /compacted|Compaction failed/i.test(screen()));
  await rest();
  show("compacted");
  await say("Last question: what is v?", { text: "v is 6." });
  await type("/fork");
  await until("the question", () => screen().includes("Fork in the current cwd"));
  await rest();
  await key("2", "Enter");
  await until("the fork", () => !screen().includes("Fork in the current cwd"));
  await rest();
  show("forked");
  await say("In the fork: what is u?", { text: "u is 7." });
  show("in the fork");
  await rewind("Down", "Down");
  show("rewound in the fork");
  await key("End", "C-u");
  await say("Again: what is t?", { text: "t is 8." });
  show("again");

  async function rewind(...keys) {
    const isAsked = () => /Rewind to which turn|Let it finish/.test(screen());
    await type("/rewind");
    await until("the prompts", isAsked);
    // On a slow machine a turn ends later than its screen says.
    while (screen().includes("Let it finish")) {
      await key("n");
      await rest();
      await type("/rewind");
      await until("the prompts", isAsked);
    }
    await rest();
    await key(...keys, "Enter");
    await until("the question", () => screen().includes("Rewind conversation to"));
    await key("Enter");
    await until("the rewind", () => !screen().includes("Rewind conversation to"));
    await rest();
  }
}
