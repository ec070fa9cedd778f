/**
 * Browsers' terminals in a process of their own. Ten floods of output then share a processor among themselves, and nobody
 * who asks the daemon something waits behind them. Started with the first terminal; a new one takes over if it dies.
 */
import { fork, type ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { builtFile } from "../process/built-file.ts";
import type { RelayOrder } from "./relay-order.ts";

export class TerminalRelay {
  #process: ChildProcess | undefined;
  readonly #onProblem: (what: string, error: unknown) => void;

  constructor(onProblem: (what: string, error: unknown) => void) {
    this.#onProblem = onProblem;
  }

  /** From here on the connection is the relay's. */
  hand(client: Socket, order: RelayOrder): void {
    this.#process ??= this.#start();
    this.#process.send(order, client, (error) => {
      if (error === null) return;
      this.#onProblem("handing a terminal over", error);
      client.destroy();
    });
  }

  close(): void {
    this.#process?.kill();
    this.#process = undefined;
  }

  #start(): ChildProcess {
    const child = fork(builtFile("relay-process.cjs"), {
      // The system shares the processor out among process sessions: this is one of its own.
      detached: true,
      // Which authorities are trusted, for other machines' certificates.
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
    child.once("error", (error) => {
      this.#onProblem("starting the terminal relay", error);
      forget();
    });
    child.once("disconnect", forget);
    child.once("exit", forget);
    return child;
  }
}
