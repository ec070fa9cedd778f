/** The subset of the protobuf wire format that Cursor's state blobs need, without a schema. */

export interface WireField {
  field: number;
  /** Integers are numbers; length-delimited values (text, bytes, messages) are bytes. */
  value: number | Uint8Array;
}

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;

/** The fields in order; undefined if the bytes are not a message. */
export function parseWire(bytes: Uint8Array): WireField[] | undefined {
  const fields: WireField[] = [];
  let at = 0;

  const varint = (): number | undefined => {
    let value = 0;
    // Ten bytes hold 64 bits; values beyond 2^53 lose low bits, which no field here uses.
    for (let shift = 1; at < bytes.length && shift <= 2 ** 63; shift *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
    return undefined;
  };

  while (at < bytes.length) {
    const key = varint();
    if (key === undefined || key < 8) return undefined;
    const field = Math.floor(key / 8);
    const type = key % 8;
    if (type === VARINT) {
      const value = varint();
      if (value === undefined) return undefined;
      fields.push({ field, value });
      continue;
    }
    const length = type === LENGTH_DELIMITED ? varint() : type === FIXED_64 ? 8 : type === FIXED_32 ? 4 : undefined;
    if (length === undefined || at + length > bytes.length) return undefined;
    fields.push({ field, value: bytes.subarray(at, at + length) });
    at += length;
  }
  return fields;
}

function bytesOf(fields: readonly WireField[], field: number): Uint8Array[] {
  return fields
    .filter((entry) => entry.field === field)
    .flatMap(({ value }) => (typeof value === "number" ? [] : [value]));
}

export function textsOf(fields: readonly WireField[], field: number): string[] {
  return bytesOf(fields, field).map((bytes) => Buffer.from(bytes).toString("utf8"));
}

export function numberOf(fields: readonly WireField[], field: number): number | undefined {
  return fields
    .map((entry) => (entry.field === field ? entry.value : undefined))
    .find((value) => typeof value === "number");
}

export function messageOf(fields: readonly WireField[], field: number): WireField[] | undefined {
  const [bytes] = bytesOf(fields, field);
  return bytes === undefined ? undefined : parseWire(bytes);
}

/** Ids of other blobs: the SHA-256 of their content. */
export function blobIdsOf(fields: readonly WireField[], field: number): string[] {
  return bytesOf(fields, field)
    .filter((bytes) => bytes.length === 32)
    .map((bytes) => Buffer.from(bytes).toString("hex"));
}
