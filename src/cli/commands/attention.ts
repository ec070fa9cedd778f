import { attentionQueue, type AttentionItem } from "../../status/attention.ts";
import type { Command } from "../command.ts";
import { age } from "../format/figures.ts";
import { homely } from "../format/session-table.ts";
import { table } from "../format/table.ts";
import { liveSessions } from "../live-sessions.ts";
import type { Output } from "../output.ts";

/** Often enough for a person; each look reads small files and asks each runner once. */
const LOOK_EVERY_MS = 1000;

const command: Command = {
  name: "attention",
  summary: "Who is waiting for you",
  description:
    "Lists the agents that cannot go on without you, or have something for you: permissions first, then questions, errors, and finished turns.",
  options: [{ name: "watch", description: "go on, and print the list whenever it changes" }],
  examples: [
    ["amux attention", "who waits, for what, since when"],
    ["amux attention --watch --json", "one line of JSON for every change"],
  ],
  async run(invocation) {
    const { output } = invocation;
    if (!invocation.flag("watch")) return show(attentionQueue(await liveSessions(), Date.now()), output);
    for (let last = ""; ; await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))) {
      const queue = attentionQueue(await liveSessions(), Date.now());
      const text = JSON.stringify(queue);
      if (text === last) continue;
      last = text;
      if (output.json) await output.write(`${JSON.stringify(queue.map(itemJson))}\n`);
      else await show(queue, output);
    }
  },
};

export default command;

async function show(queue: readonly AttentionItem[], output: Output): Promise<void> {
  if (output.json) return output.writeJson(queue.map(itemJson));
  if (queue.length === 0) {
    output.note("Nobody is waiting for you.");
    return;
  }
  const columns = [
    { title: "WANTS", value: (item: AttentionItem) => item.reason },
    { title: "SINCE", value: (item: AttentionItem) => age(new Date(item.since)), align: "right" as const },
    {
      title: "SESSION",
      value: (item: AttentionItem) => (item.place === "amux" ? `${item.ref} ${item.name}` : item.name),
      min: 8,
    },
    { title: "WHO", value: (item: AttentionItem) => item.member ?? (item.agent || "–") },
    { title: "WHAT", value: (item: AttentionItem) => item.text ?? "", min: 20 },
    { title: "DIRECTORY", value: (item: AttentionItem) => homely(item.cwd), min: 12, dispensable: 1 },
  ];
  await output.write(
    table(queue, columns, output.width, (text) => output.style("bold", text)).map((line) => `${line}\n`),
  );
}

function itemJson({ since, ...item }: AttentionItem): object {
  return { ...item, since: new Date(since).toISOString() };
}
