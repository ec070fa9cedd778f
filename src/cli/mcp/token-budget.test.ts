import { expect, it } from "vitest";
import { excerptOf } from "./read-session.ts";
import { fitting, lengthWithin, weightOf } from "./token-budget.ts";

it("a list of Chinese titles takes no more tokens than one of English ones", () => {
  const titles = (title: string): object[] => Array.from({ length: 500 }, () => ({ title }));
  const characters = (title: string): number => JSON.stringify(fitting(titles(title), 1500).shown).length;
  expect(characters("a title of the session")).toBeGreaterThan(4000);
  // About a token for each.
  expect(characters("修复购物车中的折扣计算并补充测试用例和文档说明")).toBeLessThan(2200);
});

it("the end of a text is cut by what its characters take", () => {
  expect([weightOf("ab"), weightOf("字"), weightOf("🛒")]).toEqual([2, 3, 6]);
  expect(lengthWithin("abc字", 5)).toBe(3);
  expect(lengthWithin("字abc", 5, true)).toBe(3);
  expect(lengthWithin("abc", 9)).toBe(3);
});

it("one long Chinese message is cut to its share", () => {
  const message = { role: "user", content: "字".repeat(10_000), messageIndex: 0 };
  const { messages } = excerptOf([message] as never, 0, 1000);
  expect(messages[0]!.content.length).toBeLessThanOrEqual(500);
});
