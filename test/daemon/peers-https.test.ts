/** Links over HTTPS: the certificate is always checked, against the public authorities or the configured one. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { warmCli } from "../support/warm-cli.ts";
import { untilPeer } from "./support/linked.ts";
import { TestDaemon } from "./support/test-daemon.ts";
import { selfSigned, TlsFront } from "./support/tls-front.ts";
import { TYPED, watchTerminal } from "./support/watch-terminal.ts";

describe("a peer over https", () => {
  it("is reached only with the configured certificate", async () => {
    const [own, other, elsewhere] = [selfSigned(), selfSigned(), selfSigned("DNS:other.example")];
    const [hub, spoke] = [new TestDaemon(), new TestDaemon()];
    const front = await new TlsFront(own, () => spoke.port).start();
    const misnamed = await new TlsFront(elsewhere, () => spoke.port).start();
    spoke.vars["AMUX_HOSTS"] = `127.0.0.1:${front.port},127.0.0.1:${misnamed.port}`;
    await Promise.all([hub.start(), spoke.start()]);
    const url = `https://127.0.0.1:${front.port}`;
    const add = (name: string, more: object): Promise<unknown> =>
      hub.data("POST", "/v1/peers", { name, url, token: spoke.token, ...more });
    const error = async (name: string): Promise<string | undefined> =>
      (await untilPeer(hub, name, ({ state }) => state === "unreachable")).error;

    await add("unnamed", {});
    await add("wrong", { ca: other.cert });
    await add("misnamed", { url: `https://127.0.0.1:${misnamed.port}`, ca: elsewhere.cert });
    await add("plain", { url: `https://127.0.0.1:${spoke.port}` });
    expect(await error("unnamed")).toMatch(/self-signed\. Trust it with amux peers add --ca-file/);
    expect(await error("wrong")).toMatch(/self-signed|signed by an authority/);
    expect(await error("misnamed")).toBe("Its certificate is for another host.");
    expect(await error("plain")).toMatch(/does not speak TLS|cut off/);
    for (const ca of ["nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]) {
      expect((await hub.ask("POST", "/v1/peers", { name: "bad", url, token: spoke.token, ca })).error?.code).toBe(
        "bad_request",
      );
    }
    for (const name of ["unnamed", "wrong", "misnamed", "plain"]) await hub.data("DELETE", `/v1/peers/${name}`);

    const token = join(hub.root, "token");
    writeFileSync(token, spoke.token);
    const added = await warmCli(["peers", "add", "box", url, "--token-file", token, "--ca-file", own.file], {
      home: hub.userHome,
      vars: { AMUX_HOME: hub.home },
    });
    expect(added).toMatchObject({ code: 0, stdout: "box is linked: 0 sessions run there.\n" });
    const id = await watchTerminal(hub, spoke, "box");

    // It ends even while one of its terminals is watched.
    await spoke.kill("SIGTERM");
    await hub.until("the mark", id, ({ unreachable }) => unreachable === true);
    await spoke.start();
    await hub.until("its return", id, ({ alive, unreachable }) => alive && unreachable === undefined);
    expect((await hub.ask("GET", `/v1/sessions/${id}/text`)).text).toContain(TYPED);
  });
});
