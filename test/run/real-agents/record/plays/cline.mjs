/** The Cline CLI in a terminal. */
import { playDialogs } from "../dialogs.mjs";

const isReady = /What can I do for you|any other key to close/;

export async function play(stage) {
  await playBranches(stage);
  await playPicture(stage);
  await playDialogs(stage, {
    args: ["--auto-approve", "false"],
    isReady,
    begin,
    isPermission: /Approve tool call/,
    allow: ["y"],
    question: ["ask_question", { question: "Which colour shall the mug have?", options: ["Red", "Blue"] }],
    stop: "Escape",
  });
}

// At some starts it shows an offer, which any key but Enter closes.
async function begin({ key, rest }) {
  await key("Escape");
  await rest();
}

/** A restored checkpoint and a fork, which each begin another session, a summary, an interruption, a picture and a resume. */
async function playBranches(stage) {
  const { files, picture, start, key, type, say, rest, until, screen, sleep, service, project, served, show, tools } =
    stage;
  const cwd = project("shop-branches");
  start([], cwd);
  await until("the start", () => isReady.test(screen()));
  await rest();
  await begin(stage);
  await say("First question: what is x?", { text: "x is 1." });
  const write = tools.write(`${cwd}/y.txt`, "y is 2.\n");
  await say("Second question: write y.", { text: "I write.", tools: [write] }, { text: "y is 2." });
  await say("Third question: what is z?", { text: "z is 3." });
  await type("/undo");
  await until("the checkpoints", () => screen().includes("Restore to Checkpoint"));
  await rest();
  await key("Enter");
  await until("the choice", () => screen().includes("Restore chat only"));
  await rest();
  await key("Enter");
  await until("the restored prompt", () => screen().includes("❯ Third question: what is z?"));
  await rest();
  service.state.queue.push({ thinking: "It was 3.", text: "z is 4 now." });
  await key("Enter");
  await until("the answer", () => screen().includes("z is 4 now."));
  await rest();
  show("restored");
  service.state.sideText = "Summary: x is 1, y is 2.";
  await type("/compact");
  await until("the summary", () => screen().includes("Context compacted"));
  await rest();
  service.state.sideText = undefined;
  await say("Fourth question: what is w?", { text: "w is 5." });
  await type("/fork");
  await until("the question", () => screen().includes("Y/Enter to confirm"));
  await rest();
  await key("Enter");
  await until("the fork", () => screen().includes("Forked into new session"));
  await rest();
  await say("In the fork: what is u?", { text: "u is 7." });
  const before = served();
  service.state.queue.push({ text: "A very long story begins ", stall: true });
  await type("Tell a long story.");
  await until("the stall", () => served() > before);
  await sleep(2500);
  await key("Escape");
  await rest();
  show("interrupted");
  picture(`${cwd}/red.png`);
  await say("What is in @red.png ?", { text: "A red pixel." });
  show("picture");
  const fork = files()
    .map((path) => /(\w+)\.messages\.json$/.exec(path)?.[1])
    .filter(Boolean)
    .sort()
    .at(-1);
  start(["--id", fork], cwd);
  await until("the resumed session", () => screen().includes("A red pixel."));
  await rest();
  await begin(stage);
  await say("Resumed: what is t?", { text: "t is 8." });
  show("resumed");
}

async function playPicture(stage) {
  const { picture, paste, start, say, rest, until, screen, project } = stage;
  const cwd = project("shop-picture");
  start([], cwd);
  await until("the start", () => isReady.test(screen()));
  await rest();
  await begin(stage);
  picture(`${cwd}/red.png`);
  await paste(`${cwd}/red.png`);
  await until("the picture", () => screen().includes("[Image 1]"));
  await say("What is in this picture?", { text: "A red pixel." });
}
