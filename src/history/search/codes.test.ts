/** Error codes are found by their parts, with and without the index. */
import { expect, it } from "vitest";
import { randomFrom } from "../../../test/support/seeded-random.ts";
import { clientOf, madeAgent } from "../../../test/support/made-agent.ts";
import { foundIds, says, session } from "../../../test/support/made-conversations.ts";
import { tempHome } from "../../../test/support/temp-home.ts";

const WORDS = [
  ...["TS2345", "ts2345", "2345", "TS", "TS23450", "E0308", "0308", "E", "ORA01555", "ORA-01555", "HTTP500", "500"],
  ...["ABCDEF123", "123", "AB12C345", "345", "myTS2345", "TS2345é", "É2345", "CAFÉ2345", "v2345", "X2345y"],
];
const QUESTIONS = [...WORDS, "23*", "234*", "2345 0308", "TS -2345", '"TS 2345"', "ora", "http", "ab", "e0308*"];

/** The search words that find a text. */
function formsOf(word: string): string[] {
  const bare = word.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const [, letters = "", digits = ""] = /^([A-Z]{1,5})([0-9]{3,})$/.exec(word) ?? [];
  const humps = word === "myTS2345" ? ["my", "ts2345"] : [];
  return [bare, letters.toLowerCase(), digits, ...humps].filter((form) => form.length > 1 || form === bare);
}

it("codes match with and without an index as the rule says", async () => {
  const random = randomFrom(7);
  const texts = Array.from({ length: 60 }, () =>
    Array.from({ length: 1 + random(3) }, () => WORDS[random(WORDS.length)]!),
  );
  const talks = texts.map((words, number) => session(`s${number}`, says("user", `${words.join(", ")}.`)));
  const client = clientOf(tempHome().path, madeAgent("made", talks));
  await client.sessions.buildIndex();
  for (const question of QUESTIONS) {
    const [none, use] = await Promise.all(
      (["none", "use"] as const).map((index) => foundIds(client, question, { index, limit: 1000, foldCopies: false })),
    );
    expect(use!.sort(), question).toEqual(none!.sort());
    if (!/^\p{L}*\d*$/u.test(question)) continue;
    const [wanted] = formsOf(question);
    const holders = texts.flatMap((words, number) =>
      words.flatMap((word) => word.split("-")).some((word) => formsOf(word).includes(wanted!)) ? [`s${number}`] : [],
    );
    expect(none, question).toEqual(holders.sort());
    expect(holders.length, question).toBeLessThan(60);
  }
});

it("a code is highlighted in its snippet", async () => {
  const client = clientOf(tempHome().path, madeAgent("made", [session("a", says("user", "error TS2345: not so"))]));
  await client.sessions.buildIndex();
  for (const index of ["none", "use"] as const) {
    const [hit] = await client.sessions.search({ text: "2345", index });
    const { snippet, marks } = hit!.matches[0]!;
    expect(marks.map(({ start, end }) => snippet.slice(start, end))).toEqual(["TS2345"]);
  }
});
