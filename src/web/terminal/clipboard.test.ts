import { expect, it } from "vitest";
import { clipboardRequest } from "./clipboard.ts";

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

it("accepts text for the clipboard and answers no query about it", () => {
  expect(clipboardRequest(`c;${base64("größer")}`)).toBe("größer");
  expect(clipboardRequest(`;${base64("x")}`)).toBe("x");
  expect(clipboardRequest("c;?")).toBeUndefined();
  expect(clipboardRequest("c;")).toBeUndefined();
  expect(clipboardRequest("c;not base64!")).toBeUndefined();
  expect(clipboardRequest(`c;${btoa("\u00ff\u00fe")}`)).toBeUndefined();
});
