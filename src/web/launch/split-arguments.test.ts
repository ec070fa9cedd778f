import { expect, it } from "vitest";
import { splitWords } from "./split-arguments.ts";

it("splits a line into words like a shell", () => {
  expect(splitWords(`sh -c 'echo "a b"' "two words" it\\'s --flag`)).toEqual([
    "sh",
    "-c",
    'echo "a b"',
    "two words",
    "it's",
    "--flag",
  ]);
  expect(splitWords("   ")).toEqual([]);
});
