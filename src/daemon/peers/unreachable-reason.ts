/** Why a peer cannot be reached, in helpful words. */
import { codeOf } from "../../lib/fs/directory.ts";
import { errorText } from "../../lib/text/error-text.ts";

const UNKNOWN_AUTHORITY =
  "Its certificate is signed by an authority that is not known here; name it with amux peers add --ca-file.";

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "Nothing answers there: the daemon is not running, or listens elsewhere.",
  ECONNRESET: "The connection was cut off: no daemon answers behind it.",
  ENOTFOUND: "There is no host with this name.",
  EAI_AGAIN: "The host name cannot be resolved now.",
  EHOSTUNREACH: "There is no route to this host.",
  ENETUNREACH: "There is no route to this network.",
  ETIMEDOUT: "The host does not answer.",
  CERT_HAS_EXPIRED: "Its certificate has expired.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "Its certificate is self-signed. Trust it with amux peers add --ca-file.",
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: "Its certificate is for another host.",
  EPROTO: "It does not speak TLS; is the address http://?",
};

export function reasonOf(error: unknown): string {
  return WORDS[codeOf(error)] ?? errorText(error);
}
