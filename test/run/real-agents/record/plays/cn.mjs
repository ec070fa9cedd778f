/** Continue in a terminal: questions, an interruption, a summary, a picture, a fork, and a kill in mid-answer. */
export async function play({
  HOME,
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
  files,
  served,
  show,
  kill,
}) {
  const options = ["--config", `${HOME}/.continue/config.yaml`, "--auto"];
  const cwd = project("shop-live");
  start(options, cwd);
  await until("the composer", () => /Ask anything/i.test(screen()), 90_000);
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
  await say("After the interruption.", { text: "I am here." });
  service.state.sideText = "Summary: x is 1, there is no y.";
  await type("/compact");
  await rest();
  await rest();
  show("compacted");
  await say("After compaction.", { text: "Still here." });
  await type("/title My named session");
  await rest();
  show("titled");
  picture(`${cwd}/red.png`);
  await say("What is in @red.png ?", { text: "A red pixel." });
  show("picture");
  const session = files()
    .map((path) => /([0-9a-f-]{36})\.json$/.exec(path)?.[1])
    .find((id) => id !== undefined);
  start([...options, "--fork", session], cwd);
  await until("the fork", () => /A red pixel/.test(screen()), 90_000);
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
