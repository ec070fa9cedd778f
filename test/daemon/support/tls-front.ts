/** A TLS proxy before a daemon, with a test certificate. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, type AddressInfo } from "node:net";
import { join } from "node:path";
import { createServer, type Server } from "node:tls";
import { onTestFinished } from "vitest";

export interface Certificate {
  cert: string;
  key: string;
  /** Path of `cert`. */
  file: string;
}

/** Self-signed, for 127.0.0.1. */
export function selfSigned(name = "IP:127.0.0.1", atEnd: (clean: () => void) => void = onTestFinished): Certificate {
  const directory = mkdtempSync("/tmp/amux-tls-");
  atEnd(() => rmSync(directory, { recursive: true, force: true }));
  const [key, file] = [join(directory, "key.pem"), join(directory, "cert.pem")];
  const made = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const about = ["-subj", "/CN=amux test", "-addext", `subjectAltName=${name}`];
  execFileSync("openssl", ["req", ...made, ...about, "-keyout", key, "-out", file], { stdio: "ignore" });
  return { cert: readFileSync(file, "utf8"), key: readFileSync(key, "utf8"), file };
}

export class TlsFront {
  readonly #server: Server;

  constructor({ cert, key }: Certificate, target: () => number) {
    this.#server = createServer({ cert, key }, (near) => {
      const far = connect(target(), "127.0.0.1");
      near.on("error", () => far.destroy()).pipe(far);
      far.on("error", () => near.destroy()).pipe(near);
      near.once("close", () => far.destroy());
      // Data under way still arrives.
      far.once("close", () => near.end());
    });
    this.#server.on("tlsClientError", () => undefined);
    onTestFinished(() => void this.#server.close());
  }

  async start(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }
}
