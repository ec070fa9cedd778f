import { expect, it } from "vitest";
import { deliver } from "./deliver.ts";
import type { DeliveryPort } from "./delivery-port.ts";

/** They take longer than a long text is given to appear. */
const LOOKS_OF_A_BUSY_PROGRAM = 50;

it("a message waits until a starting program has drawn something: earlier words are lost", async () => {
  let looks = 0;
  let input = "";
  let taken = "";
  const isUp = (): boolean => looks > 3;
  const port: DeliveryPort = {
    rows: () => {
      looks++;
      return isUp() ? [taken, "", "────", `❯ ${input}`].map((text) => ({ text })) : [{ text: "" }];
    },
    say(text) {
      if (isUp()) input += text;
    },
    press() {
      [taken, input] = [input, ""];
    },
    standing: () => undefined,
    isOver: () => false,
    isAgent: () => true,
  };
  expect([await deliver(port, "What is x?"), taken]).toEqual(["delivered", "What is x?"]);
});

it("a message waits while a program shows that it starts, also where it draws that anew", async () => {
  let looks = 0;
  let input = "";
  let taken = "";
  const isUp = (): boolean => looks > 6;
  const port: DeliveryPort = {
    rows: () => [taken, "", isUp() ? `❯ ${input}` : "⠋ Initializing..."].map((text) => ({ text })),
    say(text) {
      if (isUp()) input += text;
    },
    press() {
      [taken, input] = [input, ""];
    },
    standing: () => undefined,
    isOver: () => false,
    isAgent: () => true,
    isStarting() {
      looks++;
      // The third time it is just being drawn.
      return !isUp() && looks !== 3;
    },
  };
  expect([await deliver(port, "What is x?"), taken]).toEqual(["delivered", "What is x?"]);
});

it("Enter waits until a busy program has drawn the paste: read together, they would be one", async () => {
  let looks = 0;
  let pasted = Number.POSITIVE_INFINITY;
  let unread = "";
  let input = "";
  let taken = "";
  const read = (): void => {
    if (unread === "\r") [taken, input] = [input, ""];
    else input += unread;
    unread = "";
  };
  const port: DeliveryPort = {
    rows: () => {
      if (++looks > pasted + LOOKS_OF_A_BUSY_PROGRAM) read();
      return [...taken.split("\n"), "────", ...`❯ ${input}`.split("\n")].map((text) => ({ text }));
    },
    say(text) {
      unread += text;
      pasted = looks;
    },
    press: () => void (unread += "\r"),
    standing: () => undefined,
    isOver: () => false,
    isAgent: () => true,
  };
  expect([await deliver(port, "two\nlines"), taken]).toEqual(["delivered", "two\nlines"]);
});
