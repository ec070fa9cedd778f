import { expect, it } from "vitest";
import { problemOf, requestOf, SHELL } from "./launch-request.ts";

const DRAFT = {
  agent: "claude",
  machine: "",
  folder: "~/dev",
  prompt: " Rename it ",
  model: "opus",
  mode: "plan" as const,
  name: "",
  flags: "--verbose",
  branch: "",
};

it("sends only options that the agent supports", () => {
  expect(requestOf(DRAFT, { prompt: true, modes: ["plan"] })).toEqual({
    cwd: "~/dev",
    agent: "claude",
    args: ["--verbose"],
    prompt: "Rename it",
    model: "opus",
    permission_mode: "plan",
  });
  expect(requestOf(DRAFT, { prompt: false, modes: [] })).toEqual({
    cwd: "~/dev",
    agent: "claude",
    args: ["--verbose"],
    model: "opus",
  });
  expect(requestOf({ ...DRAFT, agent: SHELL, flags: "npm test", name: "tests" }, undefined)).toEqual({
    cwd: "~/dev",
    name: "tests",
    command: ["npm", "test"],
  });
});

it("says what is wrong with a branch name before the daemon does", () => {
  expect(problemOf({ ...DRAFT, branch: "fix login" })).toMatch(/^“fix login” cannot be a branch name/);
  expect(problemOf({ ...DRAFT, branch: "fix/login" })).toBeUndefined();
});
