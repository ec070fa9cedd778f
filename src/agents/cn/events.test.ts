import { expect, it } from "vitest";
import { continueEvents } from "./events.ts";

const open = () => continueEvents({ cwd: "/w", session: { kind: "new" }, now: () => 0 });

it("the printed text is one answer", () => {
  const stream = open();
  const told = [...stream.begin!(), ...["Fixed", "it."].flatMap((line) => stream.line(line))];
  told.push(...stream.end({ exitCode: 0, stderr: "" }));
  expect(told.map(({ type }) => type)).toEqual([
    ...["turn_start", "message_start", "text_delta", "text_delta", "message_stop", "turn_end"],
  ]);
  expect(told.find(({ type }) => type === "message_stop")).toEqual({ type: "message_stop", text: "Fixed\nit." });
});

it("a failure is what the service answered", () => {
  const stream = open();
  stream.begin!();
  const stderr = '{"status":"error","message":"401 The request was refused."}\n';
  expect(stream.end({ exitCode: 1, stderr })[0]).toMatchObject({
    type: "auth_error",
    message: "401 The request was refused.",
  });
});
