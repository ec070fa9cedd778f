import { expect, it } from "vitest";
import { deliver } from "./deliver.ts";
import type { DeliveryPort } from "./delivery-port.ts";

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
