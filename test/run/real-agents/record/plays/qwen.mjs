/** Qwen Code in a terminal: questions, an interruption, a rewind, a summary, a picture, a fork, and a kill in mid-answer. */
import { basename } from "node:path";

const START = ["--auth-type", "openai", "--yolo"];

export async function play({
  files,
  picture,
  start,
  key,
  type,
  say,
  rest,
  until,
  screen,
  sleep,
  service,
  project,
  served,
  show,
  kill,
}) {
  const cwd = project("shop-live");
  start(START, cwd);
  await until("the composer", () => /Type your message|YOLO/.test(screen()), 90_000);
  await rest();
  show("started");
  await say("First question: what is x?", { text: "x is 1." });
  await say("Second question: and y?", { thinking: "There is no y.", text: "There is no y." });
  service.state.queue.push({ text: "A very long story begins ", stall: true });
  const before = served();
  await type("Tell a long story.");
  await until("the stall", () => served() > before);
  await sleep(2500);
  await key("Escape");
  await rest();
  show("interrupted");
  await key("C-u");
  await say("After the interruption.", { text: "I am here." });
  await key("Escape", "Escape");
  await rest();
  show("what to rewind to");
  await key("Enter");
  await rest();
  show("how to rewind");
  await key("Enter");
  await rest();
  show("rewound");
  await key("C-u");
  await say("Instead of that.", { text: "Something else." });
  service.state.sideText = "<state_snapshot>Summary: x is 1, there is no y.</state_snapshot>";
  await type("/compress");
  await rest();
  await rest();
  show("compressed");
  await say("After compaction.", { text: "Still here." });
  await type("/rename My named session");
  await rest();
  picture(`${cwd}/red.png`);
  await say("What is in @red.png ?", { text: "A red pixel." });
  show("picture");
  const [chat] = files().filter((path) => path.endsWith(".jsonl"));
  start([...START, "--resume", basename(chat, ".jsonl"), "--fork-session"], cwd);
  await until("the composer", () => screen().includes("A red pixel"), 90_000);
  await rest();
  await say("In the fork.", { text: "This is the fork." });
  show("fork");
  service.state.queue.push({ text: "Once upon a time there was ", stall: true });
  const last = served();
  await type("Write a long story.");
  await until("the stall", () => served() > last);
  await sleep(2500);
  kill();
}
