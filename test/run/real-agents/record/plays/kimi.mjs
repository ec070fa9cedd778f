/** Kimi Code in a terminal: questions, an interruption, an undo, a summary, a picture, a fork, and a kill in mid-answer. */
export async function play({
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
  picture,
  served,
  show,
  kill,
}) {
  const cwd = project("shop-live");
  start(["--auto"], cwd);
  await until("the start", () => screen().trim().length > 50, 90_000);
  await rest();
  show("started");
  if (/trust/i.test(screen())) {
    await key("Enter");
    await rest();
    show("trusted");
  }
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
  await type("/undo");
  await rest();
  show("undo");
  await key("Enter");
  await rest();
  show("undone");
  await key("C-u");
  await say("Instead of that.", { text: "Something else." });
  service.state.queue.push({ text: "Summary: x is 1, there is no y." });
  service.state.sideText = "Summary: x is 1, there is no y.";
  await type("/compact");
  await until("the summary", () => /compact/i.test(screen()));
  await rest();
  await rest();
  show("compacted");
  service.state.queue = [];
  service.state.sideText = undefined;
  await say("After compaction.", { text: "Still here." });
  await type("/title My named session");
  await rest();
  picture(`${cwd}/red.png`);
  await say("What is in @red.png ?", { text: "A red pixel." });
  show("picture");
  await type("/fork");
  await rest();
  show("forked");
  const [fork] = /session_[0-9a-f-]{36}(?=\). Still)/.exec(screen().replaceAll("\n", " ")) ?? [];
  start(["--auto", "--session", fork], cwd);
  await until("the fork", () => screen().includes("A red pixel"), 90_000);
  await rest();
  await say("In the fork.", { text: "This is the fork." });
  show("in the fork");
  service.state.queue.push({ text: "Once upon a time there was ", stall: true });
  const last = served();
  await type("Write a long story.");
  await until("the stall", () => served() > last);
  await sleep(2500);
  kill();
}
