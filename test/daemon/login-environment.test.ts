/** A launch gets the environment of a new terminal, not the daemon's. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { removeTree } from "../../scripts/remove-tree.mjs";
import type { Capabilities } from "../../src/protocol/daemon-api.ts";
import { LoginEnvironment } from "../../src/daemon/actions/login-environment.ts";
import { holdClock } from "../support/held-clock.ts";
import { waitFor } from "../support/wait-for.ts";
import { TestDaemon } from "./support/test-daemon.ts";

class Login {
  readonly home = mkdtempSync("/tmp/amux-login-");
  /** The time for the shell's answer: a busy machine may need more to start it. */
  readonly clock = holdClock();

  constructor() {
    onTestFinished(() => removeTree(this.home));
  }

  profile(text: string): void {
    writeFileSync(join(this.home, ".bash_profile"), text);
  }

  /** Asks again, as after the cached answer has expired. */
  ask(vars: Record<string, string>): Promise<Record<string, string>> {
    const own = { HOME: this.home, PATH: process.env["PATH"] ?? "", SHELL: "/bin/bash", ...vars };
    return new LoginEnvironment({ home: this.home, platform: process.platform, vars: own }).get();
  }
}

describe("the environment of a launch", () => {
  it("is that of a new login, not the daemon's own", async () => {
    const login = new Login();
    login.profile('export GREETING=new\nexport PATH="$HOME/bin:$PATH"\n');
    const vars = await login.ask({ GREETING: "old", KEPT: "yes" });
    expect(vars).toMatchObject({ GREETING: "new", KEPT: "yes" });
    expect(vars["PATH"]?.startsWith(`${login.home}/bin:`)).toBe(true);
    login.profile("export PATH=/usr/bin:/bin\n");
    const merged = (await login.ask({ PATH: "/opt/tools:/bin" }))["PATH"];
    expect(merged, "what the daemon finds is found, after what a terminal finds").toBe("/usr/bin:/bin:/opt/tools");
    login.profile("export GREETING=newer\n");
    expect((await login.ask({ GREETING: "old" }))["GREETING"]).toBe("newer");
  });

  it("is found among the output of start-up files", async () => {
    const login = new Login();
    login.profile("echo Welcome; echo amux-environmen; printf '\\033[2J'; export GREETING='two\nlines'\n");
    expect((await login.ask({}))["GREETING"]).toBe("two\nlines");
  });

  it("is the daemon's own when the shell does not answer, or is missing", async () => {
    const login = new Login();
    login.profile("exit 3\n");
    expect((await login.ask({ GREETING: "own" }))["GREETING"]).toBe("own");
    for (const SHELL of ["/no/such/shell", "bash", join(login.home, "mute")]) {
      writeFileSync(join(login.home, "mute"), "#!/bin/sh\nexit 0\n");
      chmodSync(join(login.home, "mute"), 0o755);
      expect((await login.ask({ GREETING: "own", SHELL }))["GREETING"], SHELL).toBe("own");
    }
  });

  it("does not wait forever for a shell that hangs, and leaves no process of it", async () => {
    const login = new Login();
    const mark = `amux-hanging-${process.pid}`;
    login.profile(`exec -a ${mark} sleep 1000\n`);
    const isThere = (): boolean => execFileSync("ps", ["-eo", "args="], { encoding: "utf8" }).includes(mark);
    const answer = login.ask({ GREETING: "own" });
    await expect.poll(isThere).toBe(true);
    await login.clock.pass(5000);
    expect((await answer)["GREETING"]).toBe("own");
    await expect.poll(isThere).toBe(false);
  });

  it("has none of amux's own variables, nor of the daemon's terminal", async () => {
    const login = new Login();
    login.profile("export AMUX_TOKEN=planted\n");
    const own = {
      AMUX_SESSION_ID: "x",
      AMUX_SOCKET: "x",
      GMUX_SOCKET: "x",
      AMUX_HOME: "/kept",
      OLDPWD: "/x",
      SHLVL: "7",
    };
    const vars = await login.ask(own);
    const found = ["AMUX_TOKEN", "AMUX_SESSION_ID", "AMUX_SOCKET", "GMUX_SOCKET", "OLDPWD", "SHLVL", "AMUX_ASK_NODE"];
    expect(found.filter((name) => name in vars)).toEqual([]);
    expect(vars["AMUX_HOME"]).toBe("/kept");
  });

  it("is passed to a session's program", async () => {
    const test = new TestDaemon({ SHELL: "/bin/bash", GREETING: "the daemon's" });
    writeFileSync(join(test.userHome, ".bash_profile"), "export GREETING='the login shell'\"'\"'s'\n");
    await test.start();
    // A login shell that answers too late is asked again, for a later launch.
    await waitFor("the login shell's greeting", async () => {
      const id = await test.launch('echo "greeting: $GREETING"; sleep 100');
      const text = async (): Promise<string> => (await test.ask("GET", `/v1/sessions/${id}/text`)).text;
      await waitFor("a greeting", async () => (await text()).includes("greeting: "));
      return (await text()).includes("greeting: the login shell's");
    });
  });

  it("says which agents are installed", async () => {
    const test = new TestDaemon({ SHELL: "/bin/bash" });
    const bin = join(test.userHome, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "codex"), "#!/bin/sh\n", { mode: 0o755 });
    // As under a service manager, which does not know the user's PATH.
    test.vars["PATH"] = "/usr/bin:/bin";
    writeFileSync(join(test.userHome, ".bash_profile"), `export PATH=${bin}:$PATH\n`);
    await test.start();
    const agents = async (): Promise<Capabilities["agents"]> =>
      (await test.data<Capabilities>("GET", "/v1/capabilities")).agents;
    // A login shell that answers too late is asked again.
    await expect.poll(agents).toContainEqual(expect.objectContaining({ name: "codex", installed: true }));
  });
});
