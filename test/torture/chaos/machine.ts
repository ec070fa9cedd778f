/**
 * What happens to a machine rather than to a session: its disk fills, its clock jumps, descriptors run out, amux is
 * upgraded. The world below a daemon; where a machine does not let a test do something, `can` says so.
 */
import { execFile, execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
  openSync,
  closeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { AMUX, TestDaemon } from "../../daemon/support/test-daemon.ts";

const VERSION = (JSON.parse(readFileSync("package.json", "utf8")) as { version: string }).version;

const DISK_SIZE = "48m";

/** Replaces the C library's clock by one that a file sets; the steady clock goes on, as it does when a clock is set. */
const CLOCKS = ["aarch64-linux-gnu", "x86_64-linux-gnu"].map((arch) => `/usr/lib/${arch}/faketime/libfaketimeMT.so.1`);

export class Machine {
  readonly daemon: TestDaemon;
  readonly can: { fillDisk: boolean; jumpClock: boolean };
  readonly #clock: string;
  #upgrades = 0;

  constructor() {
    const library = findClock();
    const daemon = new TestDaemon(library === undefined ? {} : { LD_PRELOAD: library, DONT_FAKE_MONOTONIC: "1" });
    this.daemon = daemon;
    this.#clock = join(daemon.root, "clock");
    if (library !== undefined) {
      this.#setClock(0);
      daemon.vars["FAKETIME_TIMESTAMP_FILE"] = this.#clock;
      daemon.vars["FAKETIME_CACHE_DURATION"] = "1";
    }
    // Before the daemon's own clean-up, which could not remove what is mounted.
    onTestFinished(async () => {
      await daemon.endEverything();
      if (this.can.fillDisk) spawnSync("umount", [daemon.home]);
    });
    this.can = { fillDisk: mountDisk(daemon.home), jumpClock: library !== undefined };
  }

  /** Whoever waits for room finds none until the end. */
  async withFullDisk(work: () => Promise<void>): Promise<void> {
    const ballast = join(this.daemon.home, "ballast");
    const file = openSync(ballast, "w");
    for (let size = 1 << 20; size > 0;) {
      try {
        writeSync(file, Buffer.alloc(size));
      } catch {
        size >>= 1; // Full for so much; smaller pieces still go in.
      }
    }
    closeSync(file);
    try {
      await work();
    } finally {
      rmSync(ballast);
    }
  }

  /** For everybody: the daemon, its runners and their programs. */
  jumpClock(seconds: number): void {
    this.#setClock(seconds);
  }

  /** A process gets no descriptor beyond those it has. */
  async withoutDescriptors(pid: number, work: () => Promise<void>): Promise<void> {
    const limit = (soft: number): void => void execFileSync("prlimit", ["--pid", String(pid), `--nofile=${soft}:`]);
    const before = Number(/Max open files\s+(\d+)/.exec(readFileSync(`/proc/${pid}/limits`, "utf8"))![1]);
    limit(readdirSync(`/proc/${pid}/fd`).length);
    try {
      await work();
    } finally {
      // It may have been killed meanwhile.
      if (existsSync(`/proc/${pid}`)) limit(before);
    }
  }

  /** The next version is installed beside this one and started: it asks the old one to go. */
  async upgradeDaemon(): Promise<void> {
    const { daemon } = this;
    const next = join(daemon.root, `upgrade-${++this.#upgrades}`);
    cpSync(dirname(AMUX), next, { recursive: true });
    const modules = join(daemon.root, "node_modules");
    if (!existsSync(modules)) symlinkSync(join(import.meta.dirname, "../../../node_modules"), modules);
    const said = new RegExp(`"${VERSION.replaceAll(".", "\\.")}"`, "g");
    for (const name of [...readdirSync(join(next, "chunks")).map((chunk) => join("chunks", chunk)), "amux.cjs"]) {
      const text = readFileSync(join(next, name), "utf8");
      writeFileSync(join(next, name), text.replace(said, `"99.${this.#upgrades}.0"`));
    }
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(next, "amux.cjs"), "daemon", "start", "--json"],
      { env: { ...daemon.vars, AMUX_LISTEN: `127.0.0.1:${daemon.port}` } },
    );
    const { pid, version } = JSON.parse(stdout) as { pid: number; version: string };
    if (version !== `99.${this.#upgrades}.0`) throw new Error(`The daemon is still ${version}.`);
    daemon.adopt(pid);
  }

  #setClock(seconds: number): void {
    writeFileSync(this.#clock, `${seconds < 0 ? "" : "+"}${seconds}\n`);
  }
}

function findClock(): string | undefined {
  const find = (): string | undefined => CLOCKS.find((path) => existsSync(path));
  if (find() === undefined && process.platform === "linux" && process.getuid?.() === 0) {
    spawnSync("apt-get", ["install", "-y", "faketime"], { stdio: "ignore", timeout: 120_000 });
  }
  if (find() === undefined) process.stderr.write("\nNO LIBFAKETIME HERE: jumping clocks are NOT tested.\n\n");
  return find();
}

/** A disk of its own, so that filling it hurts nobody else. */
function mountDisk(path: string): boolean {
  mkdirSync(path, { mode: 0o700 });
  const isMounted =
    process.platform === "linux" &&
    spawnSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_SIZE},mode=700`, "tmpfs", path]).status === 0;
  if (!isMounted) process.stderr.write("\nNO RIGHT TO MOUNT: a full disk is NOT part of the chaos.\n\n");
  return isMounted;
}
