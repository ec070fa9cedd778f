/** A real sshd on loopback with test keys, and a client that knows only its key. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import { onTestFinished } from "vitest";
import { waitFor } from "../../support/wait-for.ts";
import { freePort } from "../../../scripts/free-port.mjs";

const SSHD = "/usr/sbin/sshd";

/** Whether tests with ssh can run here. */
export function hasSshServer(): boolean {
  if (existsSync(SSHD) && process.getuid?.() !== undefined) return true;
  process.stderr.write("\nNO SSHD HERE: links over ssh are NOT tested. apt-get install openssh-server\n\n");
  return false;
}

export class SshServer {
  readonly root = mkdtempSync("/tmp/amux-sshd-");
  port = 0;

  readonly #atEnd: (clean: () => void | Promise<void>) => void;

  /** `atEnd` receives the cleanups, which by default run after the test, last first. */
  constructor(atEnd: (clean: () => void | Promise<void>) => void = onTestFinished) {
    this.#atEnd = atEnd;
    atEnd(() => {
      this.endClients();
      rmSync(this.root, { recursive: true, force: true });
    });
  }

  /** A killed daemon leaves its ssh to the next one; after a test none may remain. */
  private endClients(): void {
    spawnSync("pkill", ["-KILL", "-f", `ssh -F ${this.root}/`]);
  }

  async start(): Promise<this> {
    for (const key of ["host", "user"]) {
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", key, "-f", this.#path(key)]);
    }
    writeFileSync(this.#path("authorized_keys"), this.#publicKey("user"), { mode: 0o600 });
    this.port = await freePort();
    // sshd needs this directory when run as root, as Debian's service creates it.
    if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
    const settings = [
      `Port ${this.port}`,
      "ListenAddress 127.0.0.1",
      `HostKey ${this.#path("host")}`,
      `AuthorizedKeysFile ${this.#path("authorized_keys")}`,
      `PidFile ${this.#path("pid")}`,
      "PasswordAuthentication no",
      "KbdInteractiveAuthentication no",
      "UsePAM no",
      "StrictModes no",
      "PermitRootLogin prohibit-password",
    ];
    writeFileSync(this.#path("sshd_config"), `${settings.join("\n")}\n`);
    const child = spawn(SSHD, ["-D", "-e", "-f", this.#path("sshd_config")], { stdio: ["ignore", "ignore", "pipe"] });
    let words = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (words += text));
    this.#atEnd(async () => {
      if (child.exitCode !== null) return;
      const ended = once(child, "exit");
      child.kill();
      await ended;
    });
    await waitFor("sshd", async () => {
      if (child.exitCode !== null) throw new Error(`sshd ended: ${words}`);
      return answers(this.port);
    });
    return this;
  }

  /** For a daemon: an `ssh` before the system's that reads this configuration instead of the user's. */
  client(options: { knowsHost: boolean; settings?: string[] }): { PATH: string } {
    const bin = mkdtempSync(join(this.root, "bin-"));
    const known = join(bin, "known_hosts");
    writeFileSync(known, options.knowsHost ? `[127.0.0.1]:${this.port} ${this.#publicKey("host")}` : "");
    const config = [
      "Host box",
      // First: ssh uses the first value of a setting.
      ...(options.settings ?? []).map((line) => `  ${line}`),
      "  HostName 127.0.0.1",
      `  Port ${this.port}`,
      `  User ${userInfo().username}`,
      `  IdentityFile ${this.#path("user")}`,
      "  IdentitiesOnly yes",
      `  UserKnownHostsFile ${known}`,
      "  GlobalKnownHostsFile /dev/null",
    ];
    writeFileSync(join(bin, "config"), `${config.join("\n")}\n`);
    const program = join(bin, "ssh");
    writeFileSync(program, `#!/bin/sh\nexec /usr/bin/ssh -F ${join(bin, "config")} "$@"\n`);
    chmodSync(program, 0o755);
    return { PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}` };
  }

  #path(name: string): string {
    return join(this.root, name);
  }

  #publicKey(name: string): string {
    return execFileSync("cat", [`${this.#path(name)}.pub`], { encoding: "utf8" });
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("data", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
