import { expect, it } from "vitest";
import { DeliveryQueue } from "./delivery-queue.ts";
import { testMessage, type Message } from "./message.ts";
import type { ServiceAnswer } from "./send-request.ts";
import { waitFor } from "../../../test/support/wait-for.ts";

const told = (tag: string, event: Message["event"] = "send"): Message => ({ ...testMessage(), tag, event });

/** Answers come one by one, the last one for ever. */
function queueWith(...answers: (number | ServiceAnswer | Error)[]): {
  queue: DeliveryQueue;
  sent: string[];
  heard: string[];
} {
  const [sent, heard]: [string[], string[]] = [[], []];
  const queue = new DeliveryQueue({
    send: ({ event, tag }) => {
      sent.push(`${event} ${tag}`);
      const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve(typeof answer === "number" ? { status: answer } : answer);
    },
    onGone: () => heard.push("gone"),
    onFailure: (error) => heard.push(error),
    tryAgainAfterMs: [1, 1, 1],
  });
  return { queue, sent, heard };
}

it("tries a message again while the service has trouble, and gives up after four times", async () => {
  const { queue, sent, heard } = queueWith(503, new Error("reset"), 201);
  queue.add(told("a"));
  await waitFor("the third try", () => queue.state.sentAt !== undefined);
  expect([sent, heard, queue.state.error]).toEqual([["send a", "send a", "send a"], [], undefined]);
  const broken = queueWith(500);
  broken.queue.add(told("a"));
  await waitFor("the end", () => broken.heard.length > 0);
  expect([broken.sent.length, broken.heard]).toEqual([4, ["The service answered 500."]]);
  expect(broken.queue.state.error).toBe("The service answered 500.");
});

it("tries once what the service refuses, and says who is gone", async () => {
  const refused = queueWith(403);
  refused.queue.add(told("a"));
  await waitFor("the refusal", () => refused.heard.length > 0);
  expect(refused.sent).toEqual(["send a"]);
  const gone = queueWith(410);
  gone.queue.add(told("a"));
  await waitFor("the end", () => gone.heard.length > 1);
  expect(gone.heard[0]).toBe("gone");
});

it("does not send what is over, and withdraws what may have arrived", async () => {
  const { queue, sent } = queueWith({ status: 503, retryAfterMs: 60_000 }, 200);
  queue.add(told("a"));
  queue.add(told("b"));
  await waitFor("the first try", () => sent.length === 1);
  queue.add(told("b", "withdraw"));
  // The wait of a minute ends.
  queue.add(told("a", "withdraw"));
  await waitFor("the withdrawal", () => sent.length === 2);
  expect(sent).toEqual(["send a", "withdraw a"]);
});

it("keeps a bounded number of messages", async () => {
  const { queue, sent } = queueWith({ status: 503, retryAfterMs: 60_000 }, 200);
  for (let at = 0; at < 100; at++) queue.add(told(`m${at}`));
  await waitFor("the first try", () => sent.length === 1);
  queue.add(told("m0", "withdraw"));
  await waitFor("the rest", () => sent.includes("withdraw m0"));
  expect(sent.length).toBeLessThan(40);
});
