import { describe, expect, it } from "vitest";
import type { ChangeHunk, ChangeLine } from "../../core/changes.ts";
import { EditIndex } from "./edit-index.ts";
import { editTexts } from "./edit-text.ts";
import { Evidence, type ChangedPlace, type CommittedLines } from "./evidence.ts";
import type { RecordedEdit } from "./recorded-edits.ts";

const NOON = Date.parse("2026-05-01T12:00:00Z");
const LATER = NOON + 60_000;

describe("a changed line", () => {
  it("is proved if one session wrote this text here", () => {
    const index = new EditIndex([edit("one", "Edit", { old_string: "const a = 1;", new_string: FRAME })]);
    expect(tiers(index, added(FRAME))).toEqual(["proved", "proved", "near"]);
    expect(origins(index, added(FRAME))[1]).toMatchObject({
      sessionId: "one",
      messageIndex: 3,
      toolCallId: "call-one",
    });
  });

  it("is nobody's if a person put it between a session's lines", () => {
    const index = new EditIndex([edit("one", "Write", { content: FRAME })]);
    const [first, ...rest] = FRAME.split("\n");
    const lines = added([first, "  auditEveryAccess(request.user);", ...rest].join("\n"));
    expect(tiers(index, lines)).toEqual(["proved", "none", "proved", "near"]);
    const hunk = new Evidence(index, { path: "a.ts", until: LATER }).attribute(hunkOf(lines));
    expect(hunk.origin.tier).toBe("proved");
    expect(hunk.ranges?.map(({ start, end, origin }) => [start, end, origin.tier])).toEqual([
      [0, 1, "proved"],
      [1, 2, "none"],
      [2, 3, "proved"],
      [3, 4, "near"],
    ]);
  });

  it.each([
    ["two sessions wrote it", { sessions: ["one", "two"] }],
    ["it is in the file twice", { file: [...FRAME_LINES(), ...FRAME_LINES()] }],
    ["a commit since moved it", { commits: [commitOf({ at: LATER, added: lineSet(), removed: lineSet() })] }],
    [
      "it was committed twice since",
      { commits: [1, 2].map((n) => commitOf({ at: NOON + n * 10_000, added: lineSet() })) },
    ],
    [
      "it was committed before the file was written as a whole",
      { commits: [commitOf({ at: NOON - 60_000, added: lineSet() })] },
    ],
    ["only its format differs", { text: FRAME.replaceAll(/^ {2}/gm, "\t\t") }],
  ] as [string, { sessions?: string[]; text?: string } & Partial<ChangedPlace>][])(
    "is only near if %s",
    (_, { sessions = ["one"], text = FRAME, ...place }) => {
      const index = new EditIndex(sessions.map((name) => edit(name, "Write", { content: FRAME })));
      const [line] = added(text.split("\n")[1]!);
      expect(new Evidence(index, { path: "a.ts", until: LATER, ...place }).originsOf([line!])[0]?.tier).toBe("near");
    },
  );

  it("is nobody's if a commit took it away since, and no recorded edit put it in again", () => {
    const index = new EditIndex([edit("one", "Write", { content: FRAME })]);
    const commits = [commitOf({ at: LATER, removed: lineSet() })];
    expect(tiers(index, added(FRAME), { commits })).toEqual(["none", "none", "none"]);
  });

  it("is not by an edit that came later", () => {
    const index = new EditIndex([edit("one", "Write", { content: FRAME }, LATER + 10_000)]);
    expect(tiers(index, added(FRAME))).toEqual(["none", "none", "none"]);
  });

  it("is not by an edit whose line a later edit changed in part", () => {
    const index = new EditIndex([
      edit("one", "Write", { content: FRAME }),
      edit("one", "Edit", { old_string: "guardedFrame", new_string: "openFrame" }, NOON + 1000),
    ]);
    expect(tiers(index, added(FRAME))[0]).not.toBe("proved");
  });

  it("is proved if a part of the removed line was replaced", () => {
    const index = new EditIndex([
      edit("one", "Edit", {
        old_string: "function total(items, country)",
        new_string: "function total(items, country, rate)",
      }),
    ]);
    const lines: ChangeLine[] = [
      { kind: "removed", text: "export function total(items, country) {" },
      { kind: "added", text: "export function total(items, country, rate) {" },
    ];
    expect(tiers(index, lines)).toEqual(["proved", "proved"]);
    const other: ChangeLine[] = [
      lines[0]!,
      { kind: "added", text: "export default function total(items, country, rate) {" },
    ];
    expect(tiers(index, other)[1]).not.toBe("proved");
  });

  it("is not proved by a short text", () => {
    const index = new EditIndex([edit("one", "Edit", { old_string: "x", new_string: "return nothing;" })]);
    expect(tiers(index, added("return nothing;"))).toEqual(["near"]);
    expect(tiers(index, added("}"))).toEqual(["none"]);
  });

  it("is only near where a few words were replaced: a person may have replaced the others", () => {
    const index = new EditIndex([edit("one", "Edit", { old_string: "getUser(", new_string: "fetchUser(" })]);
    const lines: ChangeLine[] = [
      { kind: "removed", text: "const owner = getUser(doc.ownerId);" },
      { kind: "added", text: "const owner = fetchUser(doc.ownerId);" },
    ];
    expect(tiers(index, lines)).not.toContain("proved");
    const long = { old_string: "readTheUserFromStore(", new_string: "fetchTheUserFromService(" };
    const twice = lines.map(({ kind, text }) => ({
      kind,
      text: text.replace("getUser(", long.old_string).replace("fetchUser(", long.new_string),
    }));
    const file = [twice[1]!.text, twice[1]!.text.replace("owner", "editor")];
    expect(tiers(new EditIndex([edit("one", "Edit", long)]), twice, { file })).not.toContain("proved");
  });

  it("that was taken away at two places is proved at none: a person may have taken the other", () => {
    const line = '  console.log("debugging the request", request);';
    const index = new EditIndex([edit("one", "Edit", { old_string: `first() {\n${line}`, new_string: "first() {" })]);
    const hunks = ["first() {", "second() {"].map((head) => ({
      lines: [
        { kind: "context", text: head },
        { kind: "removed", text: line },
      ] as ChangeLine[],
    }));
    for (const { lines } of hunks) expect(tiers(index, lines, { hunks, file: [] })[1]).toBe("near");
    expect(tiers(index, hunks[0]!.lines, { hunks: hunks.slice(0, 1), file: [] })[1]).toBe("proved");
  });

  it("is only near if a person moved it away from the other lines of its edit", () => {
    const body = "  const rate = lookUpRate(country);\n  assertPositive(rate, country);\n  return amount * rate;";
    const index = new EditIndex([edit("one", "Edit", { old_string: "// body", new_string: body })]);
    const lines = added("  assertPositive(rate, country);");
    expect(tiers(index, lines, { file: ["function other(country) {", lines[0]!.text, "}"] })).toEqual(["near"]);
    expect(tiers(index, lines, { file: body.split("\n") })).toEqual(["proved"]);
  });

  it("is not by an edit that an edit of the same message took back", () => {
    const line = 'import { readFile } from "node:fs/promises";';
    const index = new EditIndex([
      edit("one", "Edit", { old_string: "// top", new_string: `// top\n${line}` }),
      edit("one", "Edit", { old_string: `${line}\n`, new_string: "" }),
    ]);
    expect(tiers(index, added(line), { file: [line] })).toEqual(["near"]);
  });

  it("is not by an edit that put the same text into another line", () => {
    const call = "validateRequestPayload(payload)";
    const index = new EditIndex([edit("one", "Edit", { old_string: "oldName(payload)", new_string: call })]);
    expect(tiers(index, added(call), { file: [`const ok = ${call};`, call] })).toEqual(["near"]);
  });

  it("is only near if it is older than the commits that are known", () => {
    const index = new EditIndex([edit("one", "Write", { content: FRAME })]);
    expect(tiers(index, added(FRAME), { knownSince: Infinity })).not.toContain("proved");
  });

  it.each([
    ["nothing", undefined, "near"],
    ["a commit made here", "here", "near"],
    ["a commit made there", "there", "proved"],
    ["a commit made in neither", "gone", "near"],
  ])("of another checkout is brought by %s: %s", (_, commit, tier) => {
    const made = new Map([
      ["/main", new Set(["here"])],
      ["/tree", new Set(["there"])],
    ]);
    const commits = commit === undefined ? [] : [commitOf({ at: LATER, commit, added: lineSet() })];
    const place = { arrivals: { here: "/main", made }, commits };
    const of = (checkout: string) => new EditIndex([{ ...edit("one", "Write", { content: FRAME }), checkout }]);
    expect(tiers(of("/tree"), added(FRAME), place)[0]).toBe(tier);
    // Of one that is gone, only commits made elsewhere are known.
    const ofGone = commit === "gone" ? "proved" : "near";
    expect(tiers(of("/thrown-away"), added(FRAME), place)[0]).toBe(ofGone);
    expect(tiers(of("/main"), added(FRAME), place)[0]).toBe("proved");
  });

  it("that was taken away is proved if a session's edit took it away", () => {
    const index = new EditIndex([edit("one", "Edit", { old_string: FRAME, new_string: "" })]);
    const lines = FRAME.split("\n").map((text): ChangeLine => ({ kind: "removed", text }));
    expect(tiers(index, lines)).toEqual(["proved", "proved", "near"]);
  });
});

it("thousands of changed lines in one file are found among thousands of its edits", () => {
  const lines = Array.from({ length: 5000 }, (_, n) => `  const value${n} = compute(${n}, "name of ${n}");`);
  const edits = Array.from({ length: 2000 }, (_, n) =>
    edit(`s${n % 50}`, "Edit", {
      old_string: `old text of number ${n}`,
      new_string: lines.slice(n * 2, n * 2 + 2).join("\n"),
    }),
  );
  const found = tiers(new EditIndex(edits), added(lines.join("\n")), { file: lines });
  expect(found.filter((tier) => tier === "proved")).toHaveLength(4000);
});

const FRAME = "export function guardedFrame(request) {\n  assertAllowed(request.user, request.path);\n}";

function FRAME_LINES(): string[] {
  return FRAME.split("\n");
}

function commitOf(some: Partial<CommittedLines> & { at: number }): CommittedLines {
  return { commit: "c1", isMerge: false, added: new Set(), removed: new Set(), ...some };
}

function lineSet(): Set<string> {
  return new Set(FRAME.split("\n"));
}

function edit(session: string, tool: string, input: object, at = NOON): RecordedEdit {
  const [text] = editTexts(tool, { path: "a.ts", ...input });
  return {
    ...text!,
    agent: "claude",
    sessionId: session,
    sessionTitle: session,
    toolCallId: `call-${session}`,
    messageIndex: 3,
    inherited: false,
    at,
  };
}

function added(text: string): ChangeLine[] {
  return text.split("\n").map((line) => ({ kind: "added", text: line }));
}

function hunkOf(lines: ChangeLine[]): Omit<ChangeHunk, "origin"> {
  return { oldStart: 1, oldLines: 0, newStart: 1, newLines: lines.length, lines };
}

function origins(index: EditIndex, lines: ChangeLine[], place: Partial<ChangedPlace> = {}) {
  return new Evidence(index, { path: "a.ts", until: LATER, ...place }).originsOf(lines);
}

function tiers(index: EditIndex, lines: ChangeLine[], place: Partial<ChangedPlace> = {}) {
  return origins(index, lines, place).map((origin) => origin?.tier);
}
