import { describe, expect, it } from "vitest";
import { AgentMuxError } from "../core/errors.ts";
import { problemFrom } from "./problem.ts";

describe("a refused request", () => {
  it.each([
    ["ENOSPC", "disk_full"],
    ["EDQUOT", "disk_full"],
    ["EROFS", "disk_full"],
    ["EMFILE", "out_of_files"],
  ])("names what the machine lacks: %s", (code, problem) => {
    expect(problemFrom(Object.assign(new Error(code), { code }))?.code).toBe(problem);
  });

  it("carries the library's refusal in the API's terms, and nothing for a bug", () => {
    expect(problemFrom(new AgentMuxError("SESSION_NOT_FOUND", "There is none."))).toMatchObject({
      code: "not_found",
      message: "There is none.",
    });
    expect(problemFrom(new TypeError("x is undefined"))).toBeUndefined();
    expect(problemFrom(Object.assign(new Error(), { code: "EACCES" }))).toBeUndefined();
  });
});
