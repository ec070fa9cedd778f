import { expect, it } from "vitest";
import { visibleControls } from "./visible-text.ts";

it("control and bidirectional characters are made visible", () => {
  expect(visibleControls("a\u001b[31mb\u202ec\nd\te")).toBe("a\\u001b[31mb\\u202ec\nd\te");
  expect(visibleControls("one\r\ntwo\rthree")).toBe("one\r\ntwo\\u000dthree");
});
