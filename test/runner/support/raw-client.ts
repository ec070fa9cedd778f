/** A client without our client code: bytes in, frames out. */
import { connect, type Socket } from "node:net";
import { encodeFrame, FrameDecoder } from "../../../src/protocol/frame-codec.ts";
import type { ServerFrame } from "../../../src/protocol/frames.ts";
import { waitFor } from "../../support/wait-for.ts";

export class RawClient {
  readonly socket: Socket;
  readonly frames: ServerFrame[] = [];
  closed = false;
  private readonly decoder = new FrameDecoder();

  constructor(path: string) {
    this.socket = connect(path);
    this.socket.on("error", () => undefined);
    this.socket.once("close", () => (this.closed = true));
    this.socket.on("data", (chunk: Buffer) => {
      this.decoder.push(chunk);
      for (let payload = this.decoder.next(); payload !== undefined; payload = this.decoder.next()) {
        if (payload.kind === "json") this.frames.push(JSON.parse(payload.text) as ServerFrame);
      }
    });
  }

  send(frame: object): void {
    this.socket.write(encodeFrame(frame));
  }

  sendBytes(bytes: Uint8Array): void {
    this.socket.write(bytes);
  }

  all<Tag extends ServerFrame["_tag"]>(tag: Tag): Extract<ServerFrame, { _tag: Tag }>[] {
    return this.frames.filter((frame): frame is Extract<ServerFrame, { _tag: Tag }> => frame._tag === tag);
  }

  first<Tag extends ServerFrame["_tag"]>(tag: Tag): Promise<Extract<ServerFrame, { _tag: Tag }>> {
    return waitFor(`a ${tag} frame`, () => this.all(tag)[0]);
  }

  /** Text of all output frames. */
  text(): string {
    return this.all("output")
      .map((frame) => frame.data)
      .join("");
  }

  async ended(): Promise<void> {
    await waitFor("the connection to end", () => this.closed);
  }

  destroy(): void {
    this.socket.destroy();
  }
}
