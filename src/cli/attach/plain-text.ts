/**
 * Terminal output as readable text: no colours, cursor movements or hidden messages. Output painted in place (a progress bar)
 * becomes separate lines.
 */
import { StringDecoder } from "node:string_decoder";
import { withoutControls } from "../../lib/text/text.ts";

const SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-OQ-WYZ\\`-~])/g;

/** An incomplete sequence or line end: the next chunk decides. */
const UNFINISHED = /(?:\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b]*\u001b?|[ -/]*)|\r)$/;

/** An endless sequence is given up: what follows is shown again. */
const MAX_UNFINISHED = 64 * 1024;

export class PlainText {
  private readonly decoder = new StringDecoder("utf8");
  private held = "";

  push(bytes: Buffer): string {
    const text = this.held + this.decoder.write(bytes);
    const at = UNFINISHED.exec(text)?.index ?? text.length;
    this.held = text.length - at > MAX_UNFINISHED ? "" : text.slice(at);
    return withoutControls(
      text
        .slice(0, at)
        .replace(SEQUENCE, "")
        .replaceAll(/\r+\n?/g, "\n"),
    );
  }
}
