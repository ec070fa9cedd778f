import { expect, test } from "vitest";
import type * as z from "zod/mini";
import { QueueChange, QueueRequest } from "./queue.ts";
import { queueChangeShape, queueRequestShape } from "./queue-input.ts";
import { Answer, Message } from "./runner-api.ts";
import { answerShape, messageShape, statusReportShape, statusShape } from "./runner-input.ts";
import { check, type Shape } from "./shape.ts";
import { Status, StatusReport } from "./status.ts";

const VALUES = [
  undefined, null, true, false, 0, 7, -1, 1.5, Number.NaN, 2 ** 60, "", "x", "idle", "working", "hook", "agent", "allow", "deny",
  "y".repeat(40), "y".repeat(41), "y".repeat(200), "y".repeat(201), "y".repeat(2000), "y".repeat(2001), "y".repeat(10_001),
  [], ["idle"], ["idle", "nothing"], [1], [{ label: "x" }], [{ label: "x", number: "123" }], {}, { a: 1 },
]; // prettier-ignore

const PAIRS: [string, Shape<unknown>, z.ZodMiniType, object, string[]][] = [
  ["Status", statusShape, Status, {}, Object.keys(Status.def.shape)],
  ["StatusReport", statusReportShape, StatusReport, { state: "idle" }, Object.keys(StatusReport.def.shape)],
  ["Answer", answerShape, Answer, { answer: "allow" }, Object.keys(Answer.def.shape)],
  ["Message", messageShape, Message, { text: "x" }, Object.keys(Message.def.shape)],
  ["QueueRequest", queueRequestShape, QueueRequest, { text: "x" }, Object.keys(QueueRequest.def.shape)],
  ["QueueChange", queueChangeShape, QueueChange, {}, Object.keys(QueueChange.def.shape)],
];

test.each(PAIRS)("a runner accepts of %s what its schema says, and nothing else", (_, shape, schema, base, fields) => {
  const inputs = [
    ...VALUES,
    ...fields.flatMap((field) => VALUES.map((value) => ({ ...base, [field]: value, unknown: 1 }))),
  ];
  for (const input of inputs) {
    const checked = check(shape, input);
    const parsed = schema.safeParse(input);
    const ours = checked.ok ? JSON.stringify(checked.value) : "refused";
    expect([input, ours]).toEqual([input, parsed.success ? JSON.stringify(parsed.data) : "refused"]);
  }
});
