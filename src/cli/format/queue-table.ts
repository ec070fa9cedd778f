/** Queued prompts for people. */
import { oneLine } from "../../lib/text/text.ts";
import type { AllQueues, QueuedPrompt } from "../../protocol/queue.ts";
import { dueText } from "../../status/queue/queue-words.ts";
import type { Output } from "../output.ts";
import { tildePath } from "./tilde-path.ts";
import { table } from "./table.ts";

interface Row {
  prompt: QueuedPrompt;
  place: string;
  isPaused: boolean;
}

export function queueTable({ sessions, scheduled }: AllQueues, output: Output): string[] {
  const rows: Row[] = [
    ...sessions.flatMap(({ session, paused, items }) =>
      items.map((prompt) => ({ prompt, place: session, isPaused: paused || prompt.paused === true })),
    ),
    ...scheduled.map((prompt) => ({
      prompt,
      place: `new ${prompt.agent} in ${tildePath(prompt.cwd)}`,
      isPaused: prompt.paused === true,
    })),
  ];
  const columns = [
    { title: "PROMPT", value: ({ prompt }: Row) => prompt.id },
    { title: "SESSION", value: ({ place }: Row) => oneLine(place), min: 13 },
    {
      title: "STATE",
      value: stateText,
      style: (text: string, { prompt }: Row) => (prompt.state === "held" ? output.style("yellow", text) : text),
    },
    { title: "WHEN", value: ({ prompt }: Row) => dueText(prompt), min: 9 },
    { title: "TEXT", value: ({ prompt }: Row) => oneLine(prompt.text), min: 16 },
    ...(rows.some(({ prompt }) => prompt.note !== undefined)
      ? [{ title: "NOTE", value: ({ prompt }: Row) => prompt.note ?? "", min: 16 }]
      : []),
  ];
  return table(rows, columns, output.width, (text) => output.style("bold", text));
}

function stateText({ prompt: { state, receipt }, isPaused }: Row): string {
  if (state === "delivered") return receipt === undefined ? "started" : `delivered (${receipt})`;
  return state === "queued" && isPaused ? "paused" : state;
}
