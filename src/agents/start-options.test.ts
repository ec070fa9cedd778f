import { expect, it } from "vitest";
import { startArguments, type StartOptions } from "./start-options.ts";

const OPTIONS: StartOptions = { model: "-m", prompt: ["-i"], modes: { plan: ["--mode", "plan"] } };

it("puts model, mode, the user's arguments and the prompt in this order", () => {
  const request = { model: "m-1", prompt: "Rename it", permission_mode: "plan" } as const;
  expect(startArguments(OPTIONS, request, ["--x"])).toEqual(["-m", "m-1", "--mode", "plan", "--x", "-i", "Rename it"]);
});

it.each(["--dangerous", "@secrets", "update"])(
  "takes the prompt %s for text, not for an option or a command",
  (prompt) => {
    expect(startArguments({ model: "-m", prompt: [] }, { prompt }, [])).toEqual([` ${prompt}`]);
  },
);

it("refuses a model that the agent would take for an option", () => {
  expect(() => startArguments(OPTIONS, { model: "--yolo" }, [])).toThrow('A model name cannot begin with "-".');
});

it("names the option that an agent does not support", () => {
  expect(startArguments(OPTIONS, { permission_mode: "all" }, [])).toBe("permission_mode");
  expect(startArguments({ model: "-m" }, { prompt: "Hi" }, [])).toBe("prompt");
  expect(startArguments(undefined, { model: "m-1" }, [])).toBe("model");
  expect(startArguments(undefined, {}, ["--x"])).toEqual(["--x"]);
});
