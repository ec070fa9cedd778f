import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { waitFor } from "../../../test/support/wait-for.ts";
import { inputDeadline } from "./input-deadline.ts";

/** Long enough for the other process to write. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it("lets input be read that arrived while this process stood still", async () => {
  const child = spawn(process.execPath, ["-e", 'process.stdin.once("data", () => process.stdout.write("in time"))']);
  const happened: string[] = [];
  const cancel = inputDeadline(200, () => happened.push("missed"));
  child.stdout.once("data", (text: Buffer) => {
    happened.push(String(text));
    cancel();
  });
  child.stdin.end("go");
  await once(child.stdin, "finish");
  standStill(1000);
  await waitFor("one of both", () => happened.length > 0);
  expect(happened).toEqual(["in time"]);
});

it("is missed without input, and not after it was cancelled", async () => {
  const happened: string[] = [];
  inputDeadline(1, () => happened.push("early"))();
  inputDeadline(5, () => happened.push("late"));
  await waitFor("the second", () => happened.length > 0);
  expect(happened).toEqual(["late"]);
});
