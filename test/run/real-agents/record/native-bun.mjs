/**
 * Makes a program for this machine of one that Bun compiled for another: its unchanged payload in a program of this machine's Bun.
 * Usage: node native-bun.mjs PROGRAM BUN OUT [PREFIX=FILE …]. BUN is the same version of Bun; FILE replaces embedded files whose name
 * begins with PREFIX, such as native libraries.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const END = Buffer.from("\n---- Bun! ----\n");
/** Before the end: the size, then the place of the list of files. */
const OFFSETS = 32;
/** Of a file in the list: name, contents, source map and byte code, each with place and length, and more. */
const RECORD = 52;
const ROOT = "/$bunfs/root/";
const ROOM = 1 << 20;

const [program, bun, out, ...replacements] = process.argv.slice(2);
const payload = withFiles(payloadOf(readFileSync(program)), replacements);
const folder = mkdtempSync(join(tmpdir(), "native-bun-"));
writeFileSync(join(folder, "room.bin"), Buffer.alloc(payload.length + ROOM));
writeFileSync(join(folder, "main.js"), 'import file from "./room.bin" with { type: "file" }; console.log(file);');
execFileSync(resolve(bun), ["build", "--compile", "main.js", "--outfile", "made"], { cwd: folder });
const made = readFileSync(join(folder, "made"));
const { at, size } = sectionOf(made);
if (8 + payload.length > size) throw new Error("There is too little room.");
made.writeBigUInt64LE(BigInt(payload.length), at);
payload.copy(made, at + 8);
writeFileSync(out, made);
chmodSync(out, 0o755);
rmSync(folder, { recursive: true });

/** The section `.bun` of a 64-bit ELF file. */
function sectionOf(elf) {
  const headers = Number(elf.readBigUInt64LE(0x28));
  const [length, count, names] = [0x3a, 0x3c, 0x3e].map((place) => elf.readUInt16LE(place));
  const header = (index) => elf.subarray(headers + index * length, headers + (index + 1) * length);
  const namesAt = Number(header(names).readBigUInt64LE(0x18));
  for (let index = 0; index < count; index++) {
    const nameAt = namesAt + header(index).readUInt32LE(0);
    if (elf.toString("latin1", nameAt, nameAt + 5) !== ".bun\0") continue;
    return { at: Number(header(index).readBigUInt64LE(0x18)), size: Number(header(index).readBigUInt64LE(0x20)) };
  }
  throw new Error("It was not compiled by Bun 1.3.13 or later.");
}

function payloadOf(elf) {
  const { at } = sectionOf(elf);
  const found = elf.subarray(at + 8, at + 8 + Number(elf.readBigUInt64LE(at)));
  if (!found.subarray(-END.length).equals(END)) throw new Error("Its payload has another format.");
  return found;
}

/** New contents go to the end. */
function withFiles(old, pairs) {
  const end = old.length - END.length - OFFSETS;
  const files = Buffer.from(old.subarray(0, end));
  const offsets = Buffer.from(old.subarray(end, end + OFFSETS));
  const [list, length] = [offsets.readUInt32LE(8), offsets.readUInt32LE(12)];
  const added = [];
  let total = files.length;
  for (let record = list; record < list + length; record += RECORD) {
    const nameAt = files.readUInt32LE(record);
    const name = files.toString("utf8", nameAt, nameAt + files.readUInt32LE(record + 4)).replace(ROOT, "");
    const path = pairs.find((pair) => name.startsWith(pair.split("=")[0]))?.split("=")[1];
    if (path === undefined) continue;
    const padding = Buffer.alloc((16 - (total % 16)) % 16);
    const contents = readFileSync(path);
    files.writeUInt32LE(total + padding.length, record + 8);
    files.writeUInt32LE(contents.length, record + 12);
    added.push(padding, contents, Buffer.alloc(1));
    total += padding.length + contents.length + 1;
  }
  offsets.writeBigUInt64LE(BigInt(total), 0);
  return Buffer.concat([files, ...added, offsets, END]);
}
