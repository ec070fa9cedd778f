import { describe, expect, it } from "vitest";
import { serviceFor } from "./daemon-service.ts";

const vars = { AMUX_LISTEN: "127.0.0.1:9000", SHELL: "/bin/zsh", SECRET: "x", AMUX_TOKEN: "y" };

describe("the daemon as a service", () => {
  it("is a unit that leaves sessions running, with every word taken literally", () => {
    const env = { home: '/home/a "b" $c %d', platform: "linux" as const, vars };
    const { path, content } = serviceFor(env, "/usr/bin/node", "/opt/$1/amux.js");
    expect(path).toBe('/home/a "b" $c %d/.config/systemd/user/amuxd.service');
    expect(content.split("\n")).toEqual([
      "[Unit]",
      "Description=amux: one place for every coding-agent session",
      "",
      "[Service]",
      'ExecStart="/usr/bin/node" "--max-semi-space-size=32" "/opt/$$1/amux.js" "daemon"',
      String.raw`Environment="AMUX_HOME=/home/a \"b\" $c %%d/.agent-mux"`,
      'Environment="AMUX_LISTEN=127.0.0.1:9000"',
      'Environment="SHELL=/bin/zsh"',
      "Restart=on-failure",
      "# Sessions are separate processes: they keep running when the daemon is stopped or replaced.",
      "KillMode=process",
      "",
      "[Install]",
      "WantedBy=default.target",
      "",
    ]);
  });

  it("is a launch agent on macOS", () => {
    const env = { home: "/Users/a&b", platform: "darwin" as const, vars };
    const { path, content, enable } = serviceFor(env, "/usr/bin/node", "/opt/<amux>.js");
    expect(enable, "as it is typed").toBe(`launchctl bootstrap gui/$(id -u) '${path}'`);
    expect(path).toBe("/Users/a&b/Library/LaunchAgents/amuxd.plist");
    expect(content).toContain("<string>/opt/&lt;amux&gt;.js</string>");
    expect(content).toContain("<string>/Users/a&amp;b/.agent-mux</string>");
    expect(content).toContain("<key>AbandonProcessGroup</key>\n  <true/>");
    expect(content).not.toContain("SECRET");
  });

  it("cannot be created for a path with a line break", () => {
    const env = { home: "/home/a\nExecStart=/bin/evil", platform: "linux" as const, vars: {} };
    expect(() => serviceFor(env, "/usr/bin/node", "/opt/amux.js")).toThrow("line break");
  });

  it("does not exist on other systems", () => {
    expect(() => serviceFor({ home: "/h", platform: "win32", vars: {} }, "node", "amux.js")).toThrow("win32");
  });
});
