import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import { inputDeadline } from "./input-deadline.ts";

it("lets input be read that arrived while this process stood still", async () => {
  const said = join(tempHome().path, "said");
  const program = `const fs = require("node:fs");
    process.stdin.on("data", () => { fs.writeSync(1, "in time"); fs.writeFileSync(process.argv[1], ""); });
    fs.writeSync(1, "ready");`;
  const child = spawn(process.execPath, ["-e", program, said]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const happened: string[] = [];
  const cancel = inputDeadline(1, () => happened.push("missed"));
  child.stdout.once("data", (text: Buffer) => {
    happened.push(String(text));
    cancel();
  });
  child.stdin.write("go");
  // Without a turn of the event loop, until the answer is there and the limit has passed.
  const clock = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(said)) Atomics.wait(clock, 0, 0, 20);
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
