import { utimesSync } from "node:fs";
import { expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { createClient } from "../../index.ts";

const id = (number: number): string => `0000000${number}-1111-4111-8111-111111111111`;

it("a session that got a longer title from another's file ranks the same with and without the index", async () => {
  const home = tempHome();
  const { sessions } = createClient({ env: { home: home.path, platform: "linux", vars: {} } });
  const write = (number: number, records: object[]): void => {
    const text = records.map((record) => `${JSON.stringify(record)}\n`).join("");
    const path = home.write(`.claude/projects/-x/${id(number)}.jsonl`, text);
    utimesSync(path, 1_780_000_000 + number, 1_780_000_000 + number);
  };
  const turn = (number: number, content: string): object => ({
    type: "user",
    uuid: `u${number}`,
    parentUuid: null,
    sessionId: id(number),
    cwd: "/x",
    timestamp: `2026-05-0${number}T10:00:00.000Z`,
    message: { role: "user", content },
  });
  write(1, [turn(1, "alpha beta")]);
  write(2, [turn(2, "alpha gamma delta")]);
  await sessions.buildIndex();
  write(3, [{ type: "summary", summary: "a much longer title for the first", leafUuid: "u1" }, turn(3, "gamma")]);
  await sessions.buildIndex();
  for (const text of ["alpha", "longer", "gamma"]) {
    const used = await sessions.search({ text, index: "use" });
    expect(used.length).toBeGreaterThan(0);
    expect(used, text).toEqual(await sessions.search({ text, index: "none" }));
  }
});
