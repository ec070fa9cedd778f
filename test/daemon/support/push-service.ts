/** Stand-ins: a browser's subscription, and the push service that it names, which also decrypts as the browser would. */
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";
import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { selfSigned } from "./tls-front.ts";

export interface Pushed {
  headers: IncomingHttpHeaders;
  /** As encrypted. */
  body: Buffer;
  message: { event: string; tag: string; title: string; body: string; path: string; question?: object };
}

export interface PushService {
  /** What a browser would send to amux. */
  subscription: { endpoint: string; keys: { p256dh: string; auth: string } };
  pushed: Pushed[];
  /** The certificate's file, for the daemon to trust. */
  certificate: string;
  /** What it answers with. */
  status: number;
}

/** `atEnd` receives the cleanup, which by default runs after the test. */
export async function pushService(atEnd: (clean: () => void) => void = onTestFinished): Promise<PushService> {
  const { cert, key, file } = selfSigned("DNS:localhost,IP:127.0.0.1", atEnd);
  const browser = createECDH("prime256v1");
  browser.generateKeys();
  const auth = randomBytes(16);
  const server = createServer({ cert, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const message = JSON.parse(decrypted(body, browser, auth)) as Pushed["message"];
      service.pushed.push({ headers: request.headers, body, message });
      response.writeHead(service.status).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(() => void server.close());
  const service: PushService = {
    subscription: {
      endpoint: `https://localhost:${(server.address() as AddressInfo).port}/send/a-browser`,
      keys: { p256dh: browser.getPublicKey("base64url"), auth: auth.toString("base64url") },
    },
    pushed: [],
    certificate: file,
    status: 201,
  };
  return service;
}

/** RFC 8291 and RFC 8188, written from their text: one record. */
function decrypted(body: Buffer, browser: ReturnType<typeof createECDH>, auth: Buffer): string {
  const salt = body.subarray(0, 16);
  const sender = body.subarray(21, 21 + body[20]!);
  const both = Buffer.concat([Buffer.from("WebPush: info\0"), browser.getPublicKey(), sender]);
  const secret = Buffer.from(hkdfSync("sha256", browser.computeSecret(sender), auth, both, 32));
  const key = Buffer.from(hkdfSync("sha256", secret, salt, "Content-Encoding: aes128gcm\0", 16));
  const nonce = Buffer.from(hkdfSync("sha256", secret, salt, "Content-Encoding: nonce\0", 12));
  const record = body.subarray(21 + body[20]!);
  const decipher = createDecipheriv("aes-128-gcm", key, nonce).setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  return padded.subarray(0, padded.lastIndexOf(2)).toString("utf8");
}

/** What the signature says, after a check with the key that the browser subscribed to. */
export function signedBy(publicKey: string, authorization: string): { aud: string; exp: number; sub: string } {
  const [, head = "", claims = "", signature = "", key] =
    /^vapid t=(.+)\.(.+)\.(.+), k=(.+)$/.exec(authorization) ?? [];
  if (key !== publicKey) throw new Error("Signed with another key.");
  const point = Buffer.from(publicKey, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString("base64url"));
  const known = createPublicKey({ key: { kty: "EC", crv: "P-256", x: x!, y: y! }, format: "jwk" });
  const isRight = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    { key: known, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  if (!isRight) throw new Error("The signature is wrong.");
  return JSON.parse(Buffer.from(claims, "base64url").toString("utf8")) as { aud: string; exp: number; sub: string };
}
