import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { NewComment, ReviewSend, ReviewSent } from "../../protocol/review.ts";
import { changeReview, listReviews, readReview, settleComments, takeComments, type Outcome } from "./reviews.ts";
import type { Sender } from "./review-file.ts";
import { sendReview } from "./send-review.ts";

class Repository {
  readonly home = join(tempHome().path, "amux");
  readonly work = tempHome().path;
  ids = ["claude:abc", "sess-aaaaaaaa"];

  constructor() {
    mkdirSync(join(this.work, "src"));
    writeFileSync(join(this.work, "src/a.ts"), "one\ntwo\nthree\n");
  }

  add(comment: Partial<NewComment> = {}, ids = this.ids) {
    const add = { file: "src/a.ts", line: 2, text: "Why?", ...comment };
    return changeReview(this.home, { ids, describe: async () => ({ title: "shop", cwd: this.work }) }, { add });
  }

  send(deliver: (message: string) => Promise<ReviewSent["receipt"]>, wish: ReviewSend = {}) {
    const outbox = {
      take: (sender: Sender) => takeComments(this.home, this.ids, wish, sender),
      settle: (delivery: string, outcome: Outcome) => settleComments(this.home, this.ids, delivery, outcome),
    };
    return sendReview(outbox, async ({ message }) => ({ session: "sess-aaaaaaaa", receipt: await deliver(message) }));
  }

  get states(): string[] {
    return readReview(this.home, this.ids).comments.map(({ state }) => state);
  }
}

describe("a new comment", () => {
  it("needs a line that exists, in a text file below the repository", async () => {
    const place = new Repository();
    const outside = join(tempHome().path, "secret.txt");
    writeFileSync(outside, "secret\n");
    writeFileSync(join(place.work, "picture.png"), "\u0000\u0001");
    symlinkSync(outside, join(place.work, "link.txt"));
    for (const [comment, why] of [
      [{ line: 99 }, "has 3 lines"],
      [{ file: "src/none.ts" }, "There is no file"],
      [{ file: "../secret.txt" }, "is not below"],
      [{ file: outside, line: 1 }, "is not below"],
      [{ file: "link.txt", line: 1 }, "is not below"],
      [{ file: "picture.png", line: 1 }, "not a text file"],
      [{ file: "src", line: 1 }, "is a directory"],
      [{ line: 3, end_line: 2 }, "1 to 400 lines"],
      [{ quote: ["two", "three"] }, "not as many"],
      [{ side: "old" }, "needs those lines"],
    ] as const) {
      await expect(place.add(comment as Partial<NewComment>), why).rejects.toThrow(why);
    }
    expect(readReview(place.home, place.ids).comments).toEqual([]);
  });

  it("finds the lines that were shown, though the file has changed meanwhile", async () => {
    const place = new Repository();
    writeFileSync(join(place.work, "src/a.ts"), "zero\none\nconst two = 2;\nthree\n");
    const { comments } = await place.add({ line: 2, quote: ["const two = 2;"] });
    expect(comments).toMatchObject([{ line: 3, place: "same", quote: ["const two = 2;"] }]);
    await expect(place.add({ line: 2, quote: ["no such line"] })).rejects.toThrow("has changed since");
  });

  it("can be on removed lines of a file that is gone", async () => {
    const place = new Repository();
    const { comments } = await place.add({ file: "src/gone.ts", side: "old", line: 7, quote: ["x"] });
    expect(comments).toMatchObject([{ file: "src/gone.ts", line: 7, place: "removed", quote: ["x"] }]);
  });

  it("is on the file of the directory where the user is, else on that of the root", async () => {
    const place = new Repository();
    mkdirSync(join(place.work, "lib"));
    for (const directory of ["", "lib"]) writeFileSync(join(place.work, directory, "index.ts"), "x\n");
    const file = async (from: string, name: string): Promise<string | undefined> => {
      const target = { ids: place.ids, describe: async () => ({ title: "shop", cwd: place.work }), from };
      return (await changeReview(place.home, target, { add: { file: name, line: 1, text: "x" } })).comments.at(-1)
        ?.file;
    };
    expect(await file(join(place.work, "lib"), "index.ts")).toBe("lib/index.ts");
    expect(await file(join(place.work, "lib"), "../index.ts")).toBe("index.ts");
    expect(await file(join(place.work, "lib"), "src/a.ts")).toBe("src/a.ts");
    expect(await file("/", "index.ts")).toBe("index.ts");
  });

  it("goes to the review of its conversation, though the terminal had another before", async () => {
    const place = new Repository();
    await place.add({ text: "first" }, ["claude:one", "sess-aaaaaaaa"]);
    await place.add({ text: "second" }, ["claude:two"]);
    await place.add({ text: "third" }, ["claude:two", "sess-aaaaaaaa"]);
    const texts = (id: string): string[] => readReview(place.home, [id]).comments.map(({ text }) => text);
    expect([texts("claude:one"), texts("claude:two")]).toEqual([["first"], ["second", "third"]]);
  });

  it("joins the comments that were made before its conversation was known", async () => {
    const place = new Repository();
    await place.add({}, ["sess-aaaaaaaa"]);
    await place.add();
    expect(readReview(place.home, ["claude:abc"]).comments.map(({ id }) => id)).toEqual([1, 2]);
    expect(listReviews(place.home)).toHaveLength(1);
  });

  it("gets a number that was never used, and fields of another version stay", async () => {
    const place = new Repository();
    await place.add();
    const target = { ids: place.ids, describe: () => Promise.reject(new Error("gone")) };
    await changeReview(place.home, target, { remove: [1] });
    const [name] = readdirSync(join(place.home, "reviews")).filter((each) => each.endsWith(".json"));
    const path = join(place.home, "reviews", name!);
    writeFileSync(path, JSON.stringify({ ...(JSON.parse(readFileSync(path, "utf8")) as object), colour: "red" }));
    expect((await place.add()).comments.map(({ id }) => id)).toEqual([2]);
    expect(readFileSync(path, "utf8")).toContain('"colour": "red"');
  });
});

describe("sending", () => {
  it("marks the comments before the first byte, and keeps the receipt", async () => {
    const place = new Repository();
    await place.add();
    const sent = await place.send(async (message) => {
      expect(place.states).toEqual(["sending"]);
      expect(message).toContain("1. src/a.ts, line 2:\n\n```ts\ntwo\n```\n\nWhy?");
      return "queued";
    });
    expect(sent).toEqual({ session: "sess-aaaaaaaa", receipt: "queued", comments: [1] });
    expect(place.states).toEqual(["sent"]);
  });

  it.each([
    [
      "is taken back if nothing was typed",
      "VALIDATION_ERROR",
      "Nothing was typed: the session asks something.",
      "draft",
    ],
    ["is taken back if there is no process", "SESSION_NOT_FOUND", "The session is not running.", "draft"],
    ["is held if the words may have been typed", "VALIDATION_ERROR", "The words were typed.", "sending"],
    ["is held without an answer", "TIMEOUT", "The session does not answer.", "sending"],
  ] as const)("%s", async (_, code, message, state) => {
    const place = new Repository();
    await place.add();
    const sending = place.send(() => Promise.reject(new AgentMuxError(code, message)));
    await expect(sending).rejects.toMatchObject({ code, message: expect.stringContaining(message) as string });
    expect(place.states).toEqual([state]);
  });

  it("of comments without a receipt happens again only when asked for", async () => {
    const place = new Repository();
    await place.add();
    await expect(place.send(() => Promise.reject(new AgentMuxError("TIMEOUT", "No.")))).rejects.toThrow("not known");
    await expect(place.send(async () => "delivered")).rejects.toThrow("--again");
    await place.send(async () => "not_taken", { again: true });
    await expect(place.send(async () => "delivered")).rejects.toThrow("--again");
    await place.send(async () => "delivered", { again: true });
    await expect(place.send(async () => "delivered", { again: true })).rejects.toThrow("were sent or resolved");
  });

  it("again, while the first delivery is still under way, is refused: the agent would get the comments twice", async () => {
    const place = new Repository();
    await place.add();
    let arrived = (_: "delivered"): void => undefined;
    const first = place.send(() => new Promise<"delivered">((resolve) => (arrived = resolve)));
    const second = vi.fn(async () => "delivered" as const);
    await expect(place.send(second, { again: true })).rejects.toThrow("being sent just now");
    arrived("delivered");
    await first;
    expect(second).not.toHaveBeenCalled();
    expect(place.states).toEqual(["sent"]);
  });

  it("can choose comments, and refuses more than a message holds without losing any", async () => {
    const place = new Repository();
    for (let count = 0; count < 12; count++) await place.add({ text: "x".repeat(9999) });
    await expect(place.send(async () => "delivered")).rejects.toThrow("Send some of them");
    expect(new Set(place.states)).toEqual(new Set(["draft"]));
    expect((await place.send(async () => "delivered", { comments: [2, 5] })).comments).toEqual([2, 5]);
    await expect(place.send(async () => "delivered", { comments: [99] })).rejects.toThrow("There is no comment 99");
  });

  it("says in the message what became of the code", async () => {
    const place = new Repository();
    writeFileSync(join(place.work, "src/a.ts"), "first line here\nold code here\nthird line here\n");
    await place.add();
    writeFileSync(join(place.work, "src/a.ts"), "first line here\nnew code\nthird line here\n");
    await place.send(async (message) => {
      expect(message).toContain("line 2 (changed since the comment was written; it was):\n\n```ts\nold code here\n```");
      return "delivered";
    });
  });
});
