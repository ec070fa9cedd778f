declare module "http_ece" {
  import type { ECDH } from "node:crypto";
  export function encrypt(
    data: Buffer,
    params: { version: "aes128gcm"; dh: string; authSecret: string; privateKey: ECDH; pad: number },
  ): Buffer;
}
