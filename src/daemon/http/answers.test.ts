import { describe, expect, it } from "vitest";
import { streamed, streamedEnvelope } from "./answers.ts";

async function* pieces(...texts: string[]): AsyncGenerator<string> {
  yield* texts;
}

describe("a streamed answer", () => {
  it("ends, without an endless wait, when one chunk is empty", async () => {
    for (const texts of [[""], ["1", ""], ["1", "", "", "2"], ["", "12"], []]) {
      const envelope = await streamedEnvelope(pieces(...texts));
      expect(await envelope.text(), JSON.stringify(texts)).toBe(`{"ok":true,"data":${texts.join("")}}`);
      const plain = await streamed(pieces(...texts), { contentType: "text/plain" });
      expect(await plain.text(), JSON.stringify(texts)).toBe(texts.join(""));
    }
  });
});
