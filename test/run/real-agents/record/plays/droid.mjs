/** Factory Droid in a terminal. */
import { playDialogs } from "../dialogs.mjs";

const questionnaire = "1. [question] Which colour shall the mug have?\n[topic] Colour\n[option] Red\n[option] Blue\n";

const isReady = /Trust this folder\?|\? for help/;

export async function play(stage) {
  await playBranches(stage);
  await playResume(stage);
  await playDialogs(stage, {
    args: [],
    isReady,
    begin,
    isPermission: /No, cancel/,
    allow: ["Enter"],
    question: ["AskUser", { questionnaire }],
    stop: "Escape",
  });
}

/** A summary, a rewind and a fork: each begins another session. */
async function playBranches(stage) {
  const { start, key, type, say, rest, until, screen, service, project, show } = stage;
  start([], project("shop-branches"));
  await until("the start", () => isReady.test(screen()), 120_000);
  await rest();
  await begin(stage);
  await say("First question: what is x?", { text: "x is 1." });
  await say("Second question: what is y?", { text: "y is 2." });
  await type("/compress");
  await rest();
  await key("Enter");
  await until("the summary", () => screen().includes("Loaded summary"));
  await rest();
  show("compressed");
  await say("Third question: what is z?", { text: "z is 3." });
  await say("Fourth question: what is w?", { text: "w is 4." });
  await type("/rewind");
  await until("the prompts", () => screen().includes("rewind before"));
  await rest();
  await key("Enter");
  await until("the rewind", () => screen().includes("Rewound conversation"));
  await rest();
  show("rewound");
  service.state.queue.push({ text: "w is 5 now." });
  await key("Enter");
  await until("the answer", () => screen().includes("w is 5 now."));
  await rest();
  await type("/fork");
  await until("the fork", () => screen().includes("has been forked"));
  show("forked");
}

async function begin({ key, screen, until, rest }) {
  if (!screen().includes("Trust this folder?")) return;
  await key("Enter");
  await until("the composer", () => screen().includes("? for help"));
  await rest();
}

/** The path of a picture is pasted, which attaches it. Then the session is resumed. */
async function playResume(stage) {
  const { files, picture, paste, start, say, rest, until, screen, project } = stage;
  const cwd = project("shop-picture");
  start([], cwd);
  await until("the start", () => isReady.test(screen()));
  await rest();
  await begin(stage);
  picture(`${cwd}/red.png`);
  await paste(`${cwd}/red.png`);
  await until("the picture", () => screen().includes("[Image 1]"));
  await say("What is in this picture?", { text: "A red pixel." });
  const session = files()
    .filter((path) => path.includes("shop-picture"))
    .map((path) => /([0-9a-f-]{36})\.jsonl$/.exec(path)?.[1])
    .find(Boolean);
  start(["--resume", session], cwd);
  await until("the resumed session", () => screen().includes("A red pixel."));
  await rest();
  await say("Resumed: what is t?", { text: "t is 8." });
}
