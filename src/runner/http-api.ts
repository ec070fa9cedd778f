/** The runner's HTTP API on its socket, for hooks, scripts, the daemon and browsers behind it. GET changes nothing. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isUrgent } from "../core/state.ts";
import { codeOf } from "../lib/fs/directory.ts";
import { asObject, asText } from "../lib/json/fields.ts";
import { oneLine, truncate } from "../lib/text/text.ts";
import type { ApiError, SessionMeta } from "../protocol/runner-api.ts";
import { INCARNATION_HEADER, INPUT_ID_HEADER, KEYS_HEADER } from "../protocol/runner-headers.ts";
import {
  answerShape,
  messageShape,
  statusReportShape,
  statusShape,
  writtenConversationShape,
} from "../protocol/runner-input.ts";
import { isSlug } from "../protocol/session-id.ts";
import { check } from "../protocol/shape.ts";
import { reportOf } from "../protocol/wire-status.ts";
import { isEventStream, streamEvents } from "./event-stream.ts";
import { json, noContent, spoken, unsaved } from "./http-answer.ts";
import { given, HttpProblem, integerParameter, readBody, readJson } from "./http-request.ts";
import { SeenIds } from "./seen-ids.ts";
import type { Session } from "./session.ts";
import { MessageDelivery } from "./message-delivery.ts";
import { queueRoutes } from "./queue-api.ts";
import { SessionPrompts } from "./session-prompts.ts";
import type { Terminal } from "./terminal.ts";
import { acceptWebSocket } from "./websocket.ts";
import { WebSocketViewer, type WebSocketViewerOptions } from "./websocket-viewer.ts";

const STATUS_BYTES = 4096;
const SLUG_BYTES = 256;
const CONVERSATION_BYTES = 16 * 1024;
const TITLE_BYTES = 4096;
/** Hooks forward what agents give them, including tool results. */
const HOOK_BYTES = 1024 * 1024;
const ANSWER_BYTES = 512 * 1024;
const MESSAGE_BYTES = 4 * 1024 * 1024;
const INPUT_BYTES = 16 * 1024 * 1024;

/** A request is answered once less input than this is still waiting for the kernel. */
const INPUT_TAKEN_BELOW_BYTES = 1024 * 1024;

const DEFAULT_TEXT_LINES = 50;
const MAX_LINES = 200_000;
const DEFAULT_WEBSOCKET_HISTORY = 1000;
const MAX_TITLE = 200;

export interface HttpContext {
  session: Session;
  incarnation: string;
  /** amux's own directory, and the session's queue in it. */
  home: string;
  queuePath: string;
  meta(): SessionMeta;
  /** Writes to disk now, so that the change is there once the request is answered. Returns the error, if any. */
  save(): unknown;
  onFailure(error: unknown): void;
}

interface Exchange {
  url: URL;
  request: IncomingMessage;
  response: ServerResponse;
}

type Handler = (exchange: Exchange) => void | Promise<void>;

export class HttpApi {
  private readonly context: HttpContext;
  private readonly server: Server;
  private readonly seenInput = new SeenIds();
  private readonly delivery: MessageDelivery;
  private readonly open = new Set<ServerResponse>();
  private queue: SessionPrompts | undefined;
  private readonly routes: Readonly<Record<string, Handler>> = {
    "GET /meta": ({ response }) => json(response, this.context.meta()),
    "GET /evidence": ({ response }) => json(response, this.session.state.board.evidence),
    "GET /events": ({ response }) => streamEvents(this.session, response),
    "GET /text": (exchange) => this.getText(exchange),
    "GET /snapshot": (exchange) => this.getSnapshot(exchange),
    "PUT /status": (exchange) => this.putStatus(exchange),
    "PUT /slug": (exchange) => this.putSlug(exchange),
    "PUT /title": (exchange) => this.putTitle(exchange),
    "PUT /subtitle": (exchange) => this.putSubtitle(exchange),
    "PUT /conversation": (exchange) => this.putConversation(exchange),
    "POST /read": (exchange) => this.postRead(exchange),
    "POST /hook": (exchange) => this.postHook(exchange),
    "POST /answer": (exchange) => this.postAnswer(exchange),
    "POST /message": (exchange) => this.postMessage(exchange),
    "POST /input": (exchange) => this.postInput(exchange),
    "POST /kill": (exchange) => this.postKill(exchange),
    ...queueRoutes(() => this.prompts()),
  };

  constructor(context: HttpContext) {
    this.context = context;
    this.delivery = new MessageDelivery(context.session);
    this.server = createServer((request, response) => void this.answer(request, response));
    this.server.on("upgrade", (request, socket, head) => this.upgrade(request, socket as Socket, head));
    this.server.on("clientError", (_, socket) => socket.destroy());
  }

  /** Takes over a connection whose first byte was inspected. */
  serve(socket: Socket): void {
    this.server.emit("connection", socket);
    socket.resume();
  }

  /** The session's queue. Throws if its file is damaged. */
  prompts(): SessionPrompts {
    const { session, home, queuePath: path, onFailure } = this.context;
    return (this.queue ??= new SessionPrompts({ session, delivery: this.delivery, home, path, onFailure }));
  }

  /** Somebody, or a machine that shuts down, ends the session with a signal. */
  signalled(): void {
    this.queue?.killed(Date.now());
  }

  /** Finishes open requests; ends event streams. */
  async close(): Promise<void> {
    this.queue?.close();
    const closed = [...this.open].map((response) => new Promise((resolve) => response.once("close", resolve)));
    for (const response of this.open) if (isEventStream(response)) response.end();
    await Promise.all(closed);
  }

  private get session(): Session {
    return this.context.session;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader(INCARNATION_HEADER, this.context.incarnation);
    this.open.add(response);
    response.once("close", () => this.open.delete(response));
    try {
      const url = new URL(request.url ?? "/", "http://runner");
      const handler = this.routes[`${request.method} ${url.pathname}`];
      if (handler === undefined) throw this.notFound(url.pathname);
      this.checkIncarnation(request);
      await handler({ url, request, response });
    } catch (error) {
      if (!(error instanceof HttpProblem)) this.context.onFailure(error);
      const problem = error instanceof HttpProblem ? error : new HttpProblem(500, "internal", "The runner failed.");
      const body: ApiError = { error: { code: problem.code, message: problem.message } };
      if (response.headersSent) response.destroy();
      else json(response, body, problem.status);
    }
  }

  private upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    try {
      this.checkIncarnation(request);
      const url = new URL(request.url ?? "/", "http://runner");
      const terminal = this.terminalOf(url);
      const connection = acceptWebSocket(request, socket);
      if (connection === undefined) return;
      const viewer = new WebSocketViewer(connection, this.session, terminal, this.viewerOptions(url));
      connection.start(viewer, head);
      viewer.open().catch((error: unknown) => this.context.onFailure(error));
    } catch (error) {
      const status = error instanceof HttpProblem ? error.status : 500;
      socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    }
  }

  private viewerOptions(url: URL): WebSocketViewerOptions {
    const { incarnation } = this.context;
    // Offsets in another process's output mean nothing here.
    const isReturn = url.searchParams.has("since") && url.searchParams.get("of") === incarnation;
    return {
      historyLines: integerParameter(url, "history", DEFAULT_WEBSOCKET_HISTORY, MAX_LINES),
      incarnation,
      acknowledges: url.searchParams.get("ack") === "1",
      ...(isReturn ? { since: integerParameter(url, "since", 0, Number.MAX_SAFE_INTEGER) } : {}),
    };
  }

  /** A request for another process must not reach this one. */
  private checkIncarnation(request: IncomingMessage): void {
    const expected = request.headers[INCARNATION_HEADER];
    if (expected === undefined || expected === this.context.incarnation) return;
    throw new HttpProblem(409, "incarnation_mismatch", "The session runs in another process now.");
  }

  private notFound(path: string): HttpProblem {
    const methods = Object.keys(this.routes).filter((route) => route.endsWith(` ${path}`));
    return methods.length > 0
      ? new HttpProblem(
          405,
          "method_not_allowed",
          `${path} takes ${methods.map((route) => route.split(" ")[0]).join(", ")}.`,
        )
      : new HttpProblem(404, "not_found", `There is nothing at ${path}.`);
  }

  /** The main terminal, or the one in `?pty=`. */
  private terminalOf(url: URL): Terminal {
    const id = url.searchParams.get("pty");
    const terminal = id === null ? this.session.main : this.session.terminals.get(id);
    if (terminal === undefined) throw new HttpProblem(404, "no_such_pty", `There is no terminal ${id ?? ""}.`);
    return terminal;
  }

  private async getText({ url, response }: Exchange): Promise<void> {
    const terminal = this.terminalOf(url);
    const lines = integerParameter(url, "lines", DEFAULT_TEXT_LINES, MAX_LINES);
    await terminal.pack(lines);
    const { lines: found, seq } = terminal.text(lines);
    response.writeHead(200, { "content-type": "text/plain; charset=utf-8", "x-amux-seq": seq });
    response.end(found.map((line) => `${line}\n`).join(""));
  }

  private async getSnapshot({ url, response }: Exchange): Promise<void> {
    const terminal = this.terminalOf(url);
    const lines = integerParameter(url, "history", 0, MAX_LINES);
    await terminal.pack(lines);
    const { above, screen, seq } = terminal.replay(lines);
    const { cols, rows } = terminal;
    const headers = { "x-amux-cols": cols, "x-amux-rows": rows, "x-amux-seq": seq };
    response.writeHead(200, { "content-type": "text/plain; charset=utf-8", ...headers });
    for (const piece of above) response.write(piece.output());
    response.end(screen);
  }

  private async putStatus({ request, response }: Exchange): Promise<void> {
    const value = await readJson(request, STATUS_BYTES);
    this.session.state.said(value === null ? null : { ...statusReport(value), event: "PUT /status" });
    this.context.save();
    noContent(response);
  }

  private async putSlug({ request, response }: Exchange): Promise<void> {
    const slug = plainText((await readBody(request, SLUG_BYTES)).toString("utf8").trim(), "slug");
    if (!isSlug(slug))
      throw new HttpProblem(
        400,
        "bad_request",
        "A slug is lower-case letters, digits and hyphens, at most 40: fix-auth-bug.",
      );
    const { state } = this.session;
    const before = state.slug;
    state.setSlug(slug);
    this.keep(() => state.setSlug(before));
    noContent(response);
  }

  private async putTitle({ request, response }: Exchange): Promise<void> {
    const title = (await readBody(request, TITLE_BYTES)).toString("utf8");
    const { state } = this.session;
    const { name = "" } = state.titles;
    state.setTitle("name", truncate(oneLine(title), MAX_TITLE));
    this.keep(() => state.setTitle("name", name));
    noContent(response);
  }

  /** A name that cannot be saved is refused: lists read it from disk. */
  private keep(takeBack: () => void): void {
    const failure = this.context.save();
    if (failure === undefined) return;
    takeBack();
    throw unsaved(codeOf(failure));
  }

  private async putSubtitle({ request, response }: Exchange): Promise<void> {
    const text = (await readBody(request, TITLE_BYTES)).toString("utf8");
    this.session.state.setTitle("subtitle", truncate(oneLine(text), MAX_TITLE));
    this.context.save();
    noContent(response);
  }

  private async putConversation({ request, response }: Exchange): Promise<void> {
    const word = check(writtenConversationShape, await readJson(request, CONVERSATION_BYTES));
    if (!word.ok)
      throw new HttpProblem(
        400,
        "bad_request",
        "A conversation is {title, transcript?: its file, from the root, session?: its id}.",
      );
    const { title, transcript, session } = word.value;
    this.session.state.setTitle("adapter_title", truncate(oneLine(title), MAX_TITLE));
    if (transcript !== undefined) this.session.state.sawTranscript(transcript);
    if (session !== undefined && this.session.state.agent !== undefined) this.session.state.setResumeKey(session);
    noContent(response);
  }

  private postRead({ url, response }: Exchange): void {
    const token = url.searchParams.get("token");
    const done = this.session.state.markRead(token === null ? undefined : Number(token));
    if (!done) throw new HttpProblem(409, "result_changed", "There is a newer result than the one that was read.");
    noContent(response);
  }

  /** Hooks may report a state, or pass anything to the session's subscribers. */
  private async postHook({ request, response }: Exchange): Promise<void> {
    const value = await readJson(request, HOOK_BYTES);
    this.session.state.heardHook(value);
    const report = check(statusReportShape, value);
    const held = report.ok && isUrgent(report.value.state) && this.mayHold(value);
    if (report.ok) {
      const { source, held: _, ...said } = report.value;
      // Held before it is announced: a subscriber may answer at once.
      if (held) {
        const { ask, scope } = said;
        this.session.state.held.hold({ ask, scope, hidesDialog: asObject(value)?.["waits"] === "instead" }, response);
      }
      this.session.state.report(source, held ? { ...said, held } : said);
      const { session, scope } = said;
      // Sub-agents and other agents started by this one have their own.
      const isOwn =
        scope === undefined && asObject(value)?.["agent"] === (this.session.state.agent ?? this.session.spec.kind);
      if (session !== undefined && isOwn) this.session.state.setResumeKey(session);
      this.context.save();
    }
    this.session.hub.emit("hook", value);
    if (!held) noContent(response);
  }

  /** An agent that hides its dialog while its hook waits must not be held while somebody watches its terminal. */
  private mayHold(value: unknown): boolean {
    const waits = asObject(value)?.["waits"];
    return waits === "beside" || (waits === "instead" && this.session.viewerCount === 0);
  }

  private async postAnswer({ request, response }: Exchange): Promise<void> {
    const answer = await given(request, answerShape, ANSWER_BYTES, "An answer is {answer: a text}.");
    json(response, await spoken(() => this.delivery.answer(answer)));
  }

  private async postMessage({ request, response }: Exchange): Promise<void> {
    const message = await given(request, messageShape, MESSAGE_BYTES, "A message is {text, force?: true}.");
    const id = request.headers[INPUT_ID_HEADER];
    if (typeof id === "string" && !this.seenInput.add(id)) {
      throw new HttpProblem(409, "INVALID_STATE_TRANSITION", "This message was delivered before.");
    }
    if (message.force === true) this.session.state.showDialogs();
    json(response, await spoken(() => this.delivery.message(message)));
  }

  private async postInput({ url, request, response }: Exchange): Promise<void> {
    const terminal = this.terminalOf(url);
    const data = await readBody(request, INPUT_BYTES);
    if (terminal.exit !== undefined) throw new HttpProblem(409, "not_running", "The program has ended.");
    const id = request.headers[INPUT_ID_HEADER];
    this.session.state.showDialogs();
    const input = request.headers[KEYS_HEADER] === undefined ? data : terminal.asKeys(data);
    if (typeof id !== "string" || this.seenInput.add(id)) terminal.write(input);
    await terminal.pty.input.drained(INPUT_TAKEN_BELOW_BYTES);
    noContent(response);
  }

  private async postKill({ response }: Exchange): Promise<void> {
    this.queue?.killed();
    await this.session.kill();
    noContent(response);
  }
}

/** Plain text, or JSON: `"text"` or `{"field": "text"}`. */
function plainText(body: string, field: string): string {
  if (!/^["{]/.test(body)) return body;
  try {
    const value: unknown = JSON.parse(body);
    return asText(asObject(value)?.[field] ?? value) ?? "";
  } catch {
    // A name may begin with a bracket or a quote.
    return body;
  }
}

/** The report for a plain status. */
function statusReport(value: unknown): ReturnType<typeof reportOf> {
  const status = check(statusShape, value);
  if (!status.ok) throw new HttpProblem(400, "bad_request", "A status is {label, working, error?} or null.");
  return reportOf({ ...status.value, label: oneLine(status.value.label) });
}
