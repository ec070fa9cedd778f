/** A private socket where an agent's hooks ask for approval. Unanswered requests are refused. */
import { createServer, type Server, type Socket } from "node:net";
import { approvalEvent } from "../agents/shared/approval-event.ts";
import type { EventBody } from "../core/agent-event.ts";
import type { InteractionAnswer } from "../core/run-result.ts";
import { asString } from "../lib/json/fields.ts";
import { parseObject } from "../lib/json/json.ts";

/** May include a tool's whole input. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

export class AskServer {
  readonly socket: string;
  readonly #server: Server;
  readonly #waiting = new Map<string, Socket>();
  readonly #onAsk: (event: EventBody) => void;
  #count = 0;

  private constructor(socket: string, onAsk: (event: EventBody) => void) {
    this.socket = socket;
    this.#onAsk = onAsk;
    this.#server = createServer((connection) => this.#listen(connection));
  }

  static async start(socket: string, onAsk: (event: EventBody) => void): Promise<AskServer> {
    const asking = new AskServer(socket, onAsk);
    await new Promise<void>((resolve, reject) => {
      asking.#server.once("error", reject).listen(socket, resolve);
    });
    return asking;
  }

  /** False if it was not asked here. */
  answer(id: string, answer: InteractionAnswer): boolean {
    const connection = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (connection === undefined) return false;
    const approved = answer.type === "approve";
    const reason = answer.type === "deny" ? answer.reason : answer.type === "text" ? answer.text : undefined;
    connection.end(JSON.stringify({ approved, ...(approved ? {} : { reason: reason ?? "The user refused this." }) }));
    return true;
  }

  close(): void {
    this.#server.close();
    for (const connection of this.#waiting.values()) connection.destroy();
    this.#waiting.clear();
  }

  #listen(connection: Socket): void {
    let text = "";
    let id: string | undefined;
    connection.on("error", () => connection.destroy());
    connection.on("close", () => {
      if (id !== undefined) this.#waiting.delete(id);
    });
    connection.setEncoding("utf8").on("data", (piece: string) => {
      if (id !== undefined) return;
      text += piece;
      const end = text.indexOf("\n");
      if (end === -1 && text.length <= MAX_CHARACTERS) return;
      const question = parseObject(text.slice(0, Math.max(0, end)));
      const toolName = asString(question?.["toolName"]);
      if (toolName === undefined) return connection.destroy();
      id = `ask-${++this.#count}`;
      this.#waiting.set(id, connection);
      this.#onAsk(approvalEvent(id, toolName, question?.["input"]));
    });
  }
}
