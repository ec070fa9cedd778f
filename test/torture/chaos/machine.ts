/** Faults of the machine: a full disk, clock jumps, no descriptors, an upgrade. `can` says which the test may cause here. */
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

/** Replaces the C library's wall clock by one from a file; the monotonic clock continues, as when a clock is set. */
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
    // Before the daemon's own cleanup, which could not remove a mount.
    onTestFinished(async () => {
      await daemon.endEverything();
      if (this.can.fillDisk) spawnSync("umount", [daemon.home]);
    });
    this.can = { fillDisk: mountDisk(daemon.home), jumpClock: library !== undefined };
  }

  /** The disk stays full until the work is done. */
  async withFullDisk(work: () => Promise<void>): Promise<void> {
    const ballast = join(this.daemon.home, "ballast");
    const file = openSync(ballast, "w");
    for (let size = 1 << 20; size > 0;) {
      try {
        writeSync(file, Buffer.alloc(size));
      } catch {
        size >>= 1; // Too large; a smaller chunk may still fit.
      }
    }
    closeSync(file);
    try {
      await work();
    } finally {
      rmSync(ballast);
    }
  }

  /** For the daemon, its runners and their programs. */
  jumpClock(seconds: number): void {
    this.#setClock(seconds);
  }

  /** The process gets no further descriptors. */
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

  /** The next version is installed beside this one and started; it asks the old one to exit. */
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

/** A separate disk, so that filling it harms nothing else. */
function mountDisk(path: string): boolean {
  mkdirSync(path, { mode: 0o700 });
  const isMounted =
    process.platform === "linux" &&
    spawnSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_SIZE},mode=700`, "tmpfs", path]).status === 0;
  if (!isMounted) process.stderr.write("\nNO RIGHT TO MOUNT: a full disk is NOT part of the chaos.\n\n");
  return isMounted;
}
