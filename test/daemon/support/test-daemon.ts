/** A real daemon with its own home; after the test it and its sessions are gone. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { freePort } from "../../../scripts/free-port.mjs";
import { removeTree } from "../../../scripts/remove-tree.mjs";
import { askRunner } from "../../../src/client/runner-http.ts";
import { ShimClient } from "../../../src/client/shim-client.ts";
import { daemonFiles, type DaemonFiles } from "../../../src/protocol/daemon-files.ts";
import type { MuxSession } from "../../../src/protocol/mux-session.ts";
import { endSessions } from "../../runner/support/end-sessions.ts";
import { lastScreens } from "../../runner/support/last-screens.ts";
import { askOnFailure, lastLines, waitFor } from "../../support/wait-for.ts";
import { DEADLINE_MS } from "../../support/deadline.ts";

const DIST = join(import.meta.dirname, "../../../dist");
export const AMUX = join(DIST, "amux.cjs");

export interface Answer<Data = unknown> {
  status: number;
  ok: boolean;
  data: Data;
  error?: { code: string; message: string };
  text: string;
  /** The media type without parameters. */
  type: string;
}

export class TestDaemon {
  /** Short, so that socket paths fit. */
  readonly root = mkdtempSync("/tmp/amux-d-");
  readonly userHome = join(this.root, "user");
  readonly home = join(this.root, "amux");
  readonly files: DaemonFiles = daemonFiles(this.home);
  readonly vars: Record<string, string>;
  readonly shim = new ShimClient({ home: this.home, runner: join(DIST, "runner.cjs") });
  port = 0;
  child: ChildProcess | undefined;
  #adopted: number | undefined;

  /** `atEnd` receives the cleanup, which by default runs after the test. */
  constructor(vars: Record<string, string> = {}, atEnd: (dispose: () => Promise<void>) => void = onTestFinished) {
    mkdirSync(this.userHome);
    this.vars = {
      PATH: process.env["PATH"] ?? "",
      HOME: this.userHome,
      AMUX_HOME: this.home,
      SHELL: "/bin/sh",
      TZ: "UTC",
      ...vars,
    };
    atEnd(() => this.dispose());
    askOnFailure(() => `The daemon in ${this.home} wrote last:\n${this.lastWords()}`);
    askOnFailure(() => lastScreens(this.home, this.shim));
  }

  /** The end of its log. */
  lastWords(): string {
    return existsSync(this.files.log) ? lastLines(readFileSync(this.files.log, "utf8")) : "(nothing)";
  }

  get pid(): number {
    return this.#adopted ?? this.child?.pid ?? 0;
  }

  get token(): string {
    return readFileSync(this.files.token, "utf8").trim();
  }

  /** In the foreground, on its own port. */
  async start(): Promise<this> {
    if (this.port === 0) this.port = await freePort();
    const child = spawn(process.execPath, [AMUX, "daemon", "--listen", `127.0.0.1:${this.port}`], {
      env: this.vars,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child = child;
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
    await waitFor("the daemon", () => {
      if (child.exitCode !== null) throw new Error(`The daemon ended with ${child.exitCode}: ${output}`);
      return output.includes("is running");
    });
    return this;
  }

  /** Another daemon took over. */
  adopt(pid: number): void {
    this.#adopted = pid;
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    if (this.#adopted !== undefined) {
      const pid = this.#adopted;
      this.#adopted = undefined;
      process.kill(pid, signal);
      await waitFor("the daemon to go", () => !existsSync(`/proc/${pid}`));
      return;
    }
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }

  async ask<Data = unknown>(
    method: "GET" | "POST" | "PUT" | "DELETE",
    path: string,
    body?: unknown,
  ): Promise<Answer<Data>> {
    const json = body === undefined || body instanceof Uint8Array ? undefined : JSON.stringify(body);
    const answer = await askRunner(this.files.socket, {
      // The daemon's socket speaks like a runner's.
      method,
      path,
      timeoutMs: DEADLINE_MS,
      ...(json === undefined ? {} : { body: json, headers: { "content-type": "application/json" } }),
      ...(body instanceof Uint8Array ? { body } : {}),
    });
    const text = answer.body.toString("utf8");
    const parsed = text.startsWith('{"ok"') ? (JSON.parse(text) as Answer<Data>) : { ok: answer.status === 200 };
    const type = String(answer.headers["content-type"] ?? "").split(";")[0]!;
    return { ...(parsed as Answer<Data>), status: answer.status, text, type };
  }

  async data<Data>(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<Data> {
    const answer = await this.ask<Data>(method, path, body);
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.data;
  }

  sessions(): Promise<MuxSession[]> {
    return this.data("GET", "/v1/sessions");
  }

  async session(id: string): Promise<MuxSession | undefined> {
    return (await this.sessions()).find((session) => session.id === id);
  }

  /** Launches `sh -c script` in the user's home. */
  async launch(script: string, options: object = {}): Promise<string> {
    const request = { command: ["sh", "-c", script], cwd: this.userHome, ...options };
    return (await this.data<{ session_id: string }>("POST", "/v1/launch", request)).session_id;
  }

  async until(what: string, id: string, test: (session: MuxSession) => boolean): Promise<MuxSession> {
    return waitFor(what, async () => {
      const session = await this.session(id);
      return session !== undefined && test(session) ? session : undefined;
    });
  }

  async dispose(): Promise<void> {
    await this.endEverything();
    await removeTree(this.root);
  }

  async endEverything(): Promise<void> {
    await this.kill("SIGKILL");
    await endSessions(this.shim);
  }
}
