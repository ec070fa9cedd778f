import { expect, it } from "vitest";
import { InTurn } from "./in-turn.ts";

it("a request waits for the answer to the one before, also for its failure", async () => {
  const requests = new InTurn();
  const seen: string[] = [];
  let fail!: (error: Error) => void;
  const failing = requests.ask(() => new Promise((_, reject) => (fail = reject)));
  const second = requests.ask(async () => void seen.push("second"));
  await new Promise((resolve) => setTimeout(resolve));
  expect(seen).toEqual([]);
  fail(new Error("no answer"));
  await expect(failing).rejects.toThrow("no answer");
  await second;
  expect(seen).toEqual(["second"]);
});
