/** A session with dialogs: an answer, a permission, a choice, an interruption, a failure, and a kill in mid-answer. */
export async function playDialogs(stage, { args, isReady, begin, isPermission, allow, question, stop }) {
  const { start, key, type, say, rest, until, screen, sleep, service, project, served, show, kill, tools } = stage;
  const { queue } = service.state;
  const isEmpty = () => queue.length === 0;

  start(args, project("shop-live"));
  await until("the start", () => isReady.test(screen()), 120_000);
  await rest();
  show("started");
  await begin?.(stage);
  await say("First question: what is x?", { text: "x is 1." });

  queue.push({ text: "I look.", tools: [tools.shell("echo from-the-tool > made.txt")] }, { text: "It is done." });
  await type("Make a file.");
  await until("the permission", () => isPermission.test(screen()));
  await rest();
  show("permission");
  await key(...allow);
  await until("the end of the turn", isEmpty);
  await rest();

  queue.push({ text: "I ask.", tools: [question] }, { text: "Thank you." });
  await type("Ask me.");
  await until("the choice", () => screen().includes("Blue"));
  await rest();
  show("question");
  await key("Down", "Enter");
  await until("the end of the turn", isEmpty);
  await rest();

  await stall("Tell a long story.");
  await key(stop);
  await rest();
  show("interrupted");

  queue.push({ refuse: 400 });
  await type("Fail.");
  await until("the refusal", isEmpty);
  await rest();
  show("failed");
  await stall("Write a long story.");
  kill();

  async function stall(prompt) {
    const before = served();
    queue.push({ text: "A very long story begins ", stall: true });
    await type(prompt);
    await until("the stall", () => served() > before);
    await sleep(2500);
  }
}
