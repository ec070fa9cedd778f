/** Continue in a terminal. */
export async function play(stage) {
  await playQuestions(stage);
  await playSubagent(stage);
}

/** Sub-agents are behind an option, and only a model with their role can be one. Without a terminal the tool fails. */
async function playSubagent({ HOME, start, say, rest, until, screen, project, files, tools, show }) {
  const options = ["--config", `${HOME}/.continue/config.yaml`, "--auto", "--beta-subagent-tool"];
  const cwd = project("shop-helper");
  const before = new Set(files());
  const count = tools.sub("Count the files in src and report the number.");
  start(options, cwd);
  await until("the composer", () => /Ask anything/i.test(screen()), 90_000);
  await rest();
  await say("What is x?", { text: "x is 1." });
  await say(
    "Let a helper count the files.",
    { text: "I ask a helper.", tools: [count] },
    { tools: [tools.shell("ls src")] },
    { text: "There is 1 file in src." },
    { text: "The helper found 1 file." },
  );
  show("with a sub-agent");
  const session = files()
    .filter((path) => !before.has(path))
    .map((path) => /([0-9a-f-]{36})\.json$/.exec(path)?.[1])
    .find((id) => id !== undefined);
  start([...options, "--fork", session], cwd);
  await until("the fork", () => /The helper found/.test(screen()), 90_000);
  await rest();
  await say("Count again.", { tools: [count] }, { text: "Still 1 file." }, { text: "Again 1 file." });
  show("with a sub-agent in a fork");
}

/** Questions, an interruption, a summary, a picture, a fork, and a kill in mid-answer. */
async function playQuestions({
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
