/** `amux run --record` and `amux cast`. */
import { appendFileSync, existsSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseCast, type Cast } from "../../src/protocol/cast.ts";
import { found, plantedKinds } from "../support/planted-secrets.ts";
import type { CliResult } from "../support/run-cli.ts";
import { warmCli } from "../support/warm-cli.ts";
import { waitFor } from "../support/wait-for.ts";
import { TestDaemon } from "../daemon/support/test-daemon.ts";

/** Sessions need no daemon; it is not started. */
class Machine extends TestDaemon {
  amux(...args: string[]): Promise<CliResult> {
    return warmCli(args, { home: this.userHome, vars: this.vars });
  }

  /** Returns the id after the program has ended. */
  async ran(command: string, ...options: string[]): Promise<string> {
    const { stdout } = await this.amux("run", "-d", ...options, "--", "sh", "-c", command);
    const id = stdout.trim();
    const meta = join(this.home, "sessions", id, "meta.json");
    await waitFor("its end", () => existsSync(meta) && /"alive": ?false/.test(readFileSync(meta, "utf8")));
    return id;
  }

  fileOf(id: string): string {
    return join(this.home, "sessions", id, "recording.cast");
  }

  async cast(id: string, ...options: string[]): Promise<Cast> {
    return parseCast((await this.amux("cast", id, ...options)).stdout)!;
  }
}

const shown = ({ events }: Cast): string => events.map(({ text }) => text).join("");

describe("a recording", () => {
  it("has the output with its times, in a private file, and no input", async () => {
    const machine = new Machine();
    // The pause begins when the first line is recorded, however late that is.
    const recorded = 'until grep -qs one "$AMUX_HOME/sessions/$AMUX_SESSION_ID/recording.cast"; do sleep 0.05; done';
    const id = await machine.ran(
      `stty -echo; printf 'one\\n'; ${recorded}; sleep 0.3; printf '\\303\\244 two\\n'`,
      "--record",
    );
    expect(statSync(machine.fileOf(id)).mode & 0o777).toBe(0o600);
    const cast = await machine.cast(id);
    expect(cast.header).toMatchObject({ width: 80, height: 24 });
    expect(shown(cast)).toBe("one\r\nä two\r\n");
    expect(cast.events.at(-1)!.at - cast.events[0]!.at).toBeGreaterThan(0.29);
    const file = join(machine.root, "out.cast");
    const { stdout } = await machine.amux("cast", id, "-o", file, "--json");
    expect(JSON.parse(stdout)).toMatchObject({ id, path: file, events: cast.events.length });
    expect(parseCast(readFileSync(file, "utf8"))).toEqual(cast);
    // A link or a device named by the user stays what it is.
    const link = join(machine.root, "link.cast");
    symlinkSync(file, link);
    expect((await machine.amux("cast", id, "-o", link)).code).toBe(0);
    expect([lstatSync(link).isSymbolicLink(), lstatSync(file).isFile()]).toEqual([true, true]);
    const nowhere = await machine.amux("cast", id, "-o", join(machine.root, "no/out.cast"));
    expect([nowhere.code, nowhere.stderr]).toEqual([
      2,
      expect.stringContaining("cannot be written (ENOENT)") as string,
    ]);
    // A line that was cut off by a crash.
    appendFileSync(machine.fileOf(id), '[99,"o","ha');
    expect(await machine.cast(id)).toEqual(cast);
  });

  it("has new sizes, and nothing of what was typed unseen", async () => {
    const machine = new Machine();
    const { stdout } = await machine.amux(
      "run",
      "-d",
      "--record",
      "--",
      "sh",
      "-c",
      "stty -echo; echo ready; read x; echo end",
    );
    const id = stdout.trim();
    await waitFor("its start", async () => shown(await machine.cast(id)).includes("ready"));
    const connection = await machine.shim.connect(id);
    const { ptyId } = connection.ptys()[0]!;
    connection.send({ _tag: "attach", ptyId });
    connection.send({ _tag: "resize", ptyId, cols: 100, rows: 30 });
    await waitFor("the new size", () => readFileSync(machine.fileOf(id), "utf8").includes('"100x30"'));
    await machine.amux("send", id, "hunter2-typed");
    await waitFor("the end", async () => shown(await machine.cast(id)).includes("end"));
    expect(readFileSync(machine.fileOf(id), "utf8")).not.toContain("hunter2");
  });

  it("goes on after a restart, whoever restarts the session, with times that go on", async () => {
    const machine = new Machine();
    const id = await machine.ran("stty -echo; sleep 0.2; echo once", "--record");
    // Cut off by a crash.
    appendFileSync(machine.fileOf(id), '[99,"o","ha');
    const first = await machine.cast(id);
    const twice = async (): Promise<boolean> => shown(await machine.cast(id)).split("once").length === 3;
    await machine.amux("restart", "-d", id);
    await waitFor("the second start", twice);
    const { header, events } = await machine.cast(id);
    expect(header).toEqual(first.header);
    expect(events.slice(0, first.events.length)).toEqual(first.events);
    const added = events.slice(first.events.length);
    // The output may come in pieces.
    expect(added.map(({ kind }) => kind).join("")).toMatch(/^mroo+$/);
    const before = first.events.at(-1)!.at;
    expect(before).toBeGreaterThan(0);
    expect(added.filter(({ at }) => at < before)).toEqual([]);
    const meta = join(machine.home, "sessions", id, "meta.json");
    await waitFor("its end", () => /"alive": ?false/.test(readFileSync(meta, "utf8")));
    await machine.start();
    await machine.until("the session", id, ({ recorded }) => recorded === true);
    await machine.data("POST", `/v1/sessions/${id}/resume`);
    await waitFor("the third start", async () => shown(await machine.cast(id)).split("once").length === 4);
    expect(JSON.parse(readFileSync(meta, "utf8"))).toMatchObject({ recorded: true });
  });

  it("is not made unless asked for, which cast says", async () => {
    const machine = new Machine();
    const id = await machine.ran("echo hello");
    expect(existsSync(machine.fileOf(id))).toBe(false);
    const { code, stderr } = await machine.amux("cast", id);
    expect(code).not.toBe(0);
    expect(stderr).toContain("was not recorded. Only a session started with amux run --record is");
    writeFileSync(machine.fileOf(id), "nonsense");
    expect((await machine.amux("cast", id)).stderr).toContain("is not a recording");
    expect((await machine.amux("run", "--record", "claude", "do it")).stderr).toContain(
      "--record keeps a terminal's output",
    );
  });

  it("is redacted, even if a secret came in pieces", async () => {
    const machine = new Machine();
    const kinds = plantedKinds(200);
    const file = join(machine.root, "said.txt");
    writeFileSync(file, kinds.map(({ line }) => `${line}\n`).join(""));
    const id = await machine.ran(
      `while IFS= read -r line; do printf '%s' "\${line%???????}"; printf '%s\\n' "\${line#"\${line%???????}"}"; done < ${file}`,
      "--record",
    );
    expect(found(kinds, shown(await machine.cast(id)))).toHaveLength(200);
    const { stdout, stderr } = await machine.amux("cast", id, "--redact", "--take-unsure");
    expect(found(kinds, shown(parseCast(stdout)!))).toEqual([]);
    expect(stderr).toMatch(/^\d{3} values taken out\.$/m);
  });
});
