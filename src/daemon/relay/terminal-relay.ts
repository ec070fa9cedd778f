/**
 * Browsers' terminals in a separate process, so that floods of output never delay the daemon's answers. Started with the first
 * terminal; replaced if it dies.
 */
import { fork, type ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { builtFile } from "../process/built-file.ts";
import type { RelayOrder, RelayWord } from "./relay-order.ts";

export class TerminalRelay {
  #process: ChildProcess | undefined;
  readonly #onProblem: (what: string, error: unknown) => void;
  readonly #program: string;

  constructor(onProblem: (what: string, error: unknown) => void, program = builtFile("relay-process.cjs")) {
    this.#onProblem = onProblem;
    this.#program = program;
  }

  /** The relay owns the connection from here on. */
  hand(client: Socket, order: RelayOrder): void {
    this.#process ??= this.#start();
    this.#process.send(order, client, (error) => {
      if (error === null) return;
      this.#onProblem("passing a connection to the terminal relay", error);
      client.destroy();
    });
  }

  close(): void {
    this.#process?.kill();
    this.#process = undefined;
  }

  #start(): ChildProcess {
    const child = fork(this.#program, {
      // The system shares the CPU among process sessions: this gets its own.
      detached: true,
      // Trusted certificate authorities, for other machines.
      env: Object.fromEntries(
        ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"].flatMap((name) => {
          const value = process.env[name];
          return value === undefined ? [] : [[name, value]];
        }),
      ),
      execArgv: [],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const forget = (): void => {
      if (this.#process === child) this.#process = undefined;
    };
    child.on("message", () => {
      // It fails only if the relay has died, and its connections with it.
      child.send("go on" satisfies RelayWord, () => undefined);
    });
    child.once("error", (error) => {
      this.#onProblem("starting the terminal relay", error);
      forget();
    });
    child.once("disconnect", forget);
    child.once("exit", forget);
    return child;
  }
}
