/** amux open --phone: which way a phone gets in, and the QR code on the terminal. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import jsqr from "jsqr";
import { expect, it } from "vitest";
import { selfSigned, TlsFront } from "../daemon/support/tls-front.ts";
import { TestDaemon } from "../daemon/support/test-daemon.ts";
import { runCli } from "../support/run-cli.ts";
import { warmCli, warmJson } from "../support/warm-cli.ts";

interface WayIn {
  steps: { ok: boolean; text: string }[];
  advice: string[];
  address?: string;
  link?: string;
}

/** What a camera would see: half blocks as pixels. */
function scanned(lines: readonly string[], isDark: (drawn: boolean) => boolean): string | undefined {
  const rows = lines.flatMap((line) => [
    [...line].map((block) => isDark(block === "█" || block === "▀")),
    [...line].map((block) => isDark(block === "█" || block === "▄")),
  ]);
  const [scale, width, height] = [4, rows[0]!.length, rows.length];
  const pixels = new Uint8ClampedArray(width * height * scale * scale * 4).fill(255);
  for (let y = 0; y < height * scale; y++) {
    for (let x = 0; x < width * scale; x++) {
      const value = rows[Math.floor(y / scale)]![Math.floor(x / scale)]! ? 0 : 255;
      pixels.fill(value, (y * width * scale + x) * 4, (y * width * scale + x) * 4 + 3);
    }
  }
  return jsqr.default(pixels, width * scale, height * scale)?.data;
}

const codeIn = (text: string): string[] => text.split("\n").filter((line) => /[█▀▄]/.test(line));

async function daemonFor(hosts: string, vars: Record<string, string> = {}): Promise<TestDaemon> {
  return new TestDaemon({ ...(hosts === "" ? {} : { AMUX_HOSTS: hosts }), ...vars }).start();
}

/** A `tailscale` that answers as the real one does. */
function tailscale(test: TestDaemon, served: string): string {
  const bin = join(test.root, "bin");
  mkdirSync(bin);
  const status = { BackendState: "Running", Self: { DNSName: "box.tail1234.ts.net." }, CertDomains: ["x"] };
  const serve = { Web: { "box.tail1234.ts.net:443": { Handlers: { "/": { Proxy: served } } } } };
  const script = `#!/bin/sh\nif [ "$1" = serve ]; then echo '${JSON.stringify(serve)}'; else echo '${JSON.stringify(status)}'; fi\n`;
  writeFileSync(join(bin, "tailscale"), script);
  chmodSync(join(bin, "tailscale"), 0o755);
  return `${bin}:${process.env["PATH"]}`;
}

it("without a way in it says which steps are missing, gives no link, and never plain HTTP", async () => {
  const test = await daemonFor("");
  const options = { home: test.userHome, vars: test.vars };
  const said = await warmCli(["open", "--phone"], options);
  expect(said.code).toBe(1);
  expect(said.stdout).toContain(`The daemon listens on 127.0.0.1:${test.port}. Only this machine gets there.`);
  expect(said.stdout).toContain(`tailscale serve --bg http://127.0.0.1:${test.port}`);
  expect(said.stdout).toContain(`ssh -L ${test.port}:127.0.0.1:${test.port}`);
  expect(said.stdout).not.toContain("#code=");
  const vars = { ...test.vars, PATH: tailscale(test, `http://127.0.0.1:${test.port}`) };
  const answered = await warmCli(["open", "--phone", "--json"], { ...options, vars });
  const { steps, advice, link } = JSON.parse(answered.stdout) as WayIn;
  const texts = steps.filter(({ ok }) => ok).map(({ text }) => text);
  expect(texts).toContain("Tailscale runs. This machine is box.tail1234.ts.net.");
  expect(texts).toContain("tailscale serve passes requests on to the daemon.");
  expect([advice.join("\n"), link]).toEqual([expect.stringContaining("--host box.tail1234.ts.net"), undefined]);
  for (const address of ["http://192.168.1.7:8790", "http://box.example", "ftp://localhost", "nonsense"]) {
    const refused = await warmCli(["open", "--phone", "--at", address], options);
    expect([address, refused.code, refused.stdout]).toEqual([address, 2, ""]);
  }
  const other = await warmCli(["open", "--phone", "--at", "https://box.example"], options);
  expect([other.code, other.stdout]).toEqual([1, expect.stringContaining("amux daemon restart --host box.example")]);
});

it("behind a proxy with TLS it prints a QR code of a link that works once", async () => {
  const certificate = selfSigned("DNS:localhost");
  let port = 0;
  const front = await new TlsFront(certificate, () => port).start();
  const host = `localhost:${front.port}`;
  const test = await daemonFor(host, { NODE_EXTRA_CA_CERTS: certificate.file });
  ({ port } = test);
  const options = { home: test.userHome, vars: test.vars };
  // Node reads NODE_EXTRA_CA_CERTS when it starts.
  const plain = await runCli(["open", "--phone"], options);
  expect([plain.code, plain.stdout]).toEqual([0, expect.stringContaining(`https://${host} leads to amux, with TLS.`)]);
  const [link = ""] = /https:\S+#code=\S+/.exec(plain.stdout) ?? [];
  // Light is drawn where there are no colours, dark where there are.
  expect(scanned(codeIn(plain.stdout), (drawn) => !drawn)).toBe(link);
  const coloured = await runCli(["open", "--phone"], { ...options, vars: { ...test.vars, FORCE_COLOR: "1" } });
  const lines = codeIn(coloured.stdout).map((line) => line.replaceAll(/\u001b\[[\d;]*m/g, ""));
  expect(scanned(lines, (drawn) => drawn)).toMatch(new RegExp(`^https://${host}/login#code=[\\w-]{32}$`));
  const code = link.split("#code=")[1];
  expect((await test.ask("POST", "/auth/login", { code })).status).toBe(200);
  expect((await test.ask("POST", "/auth/login", { code })).status).toBe(401);
});

it("for an ssh tunnel the link leads to the phone itself", async () => {
  const test = await daemonFor("");
  const options = { home: test.userHome, vars: test.vars };
  const at = `http://localhost:${test.port}`;
  const { address, steps } = await warmJson<WayIn>(["open", "--phone", "--at", at], options);
  expect([address, steps[0]?.text]).toEqual([`${at}/`, expect.stringContaining(`ssh -L ${test.port}:`)]);
});
