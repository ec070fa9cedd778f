/**
 * The minimal Node relay between a terminal and a socket: what amux adds to this is its own cost, what this adds to tmux is
 * Node's. `node least-relay.cjs hold SOCKET SCRIPT` and `node least-relay.cjs attach SOCKET`.
 */
const { openSync, writeSync } = require("node:fs");
const { connect, createServer, Socket } = require("node:net");
const { ReadStream } = require("node:tty");
const { createRequire } = require("node:module");

const [, , role, path, script] = process.argv;
const reading = (act) => ({
  onread: { buffer: new Uint8Array(65_536), callback: (length, bytes) => act(length, bytes) },
});

if (role === "hold") hold();
else attach();

function hold() {
  const load = createRequire(require.resolve("@lydell/node-pty/package.json"));
  const native = load(`@lydell/node-pty-${process.platform}-${process.arch}/pty.node`);
  const env = Object.entries(process.env).map(([name, value]) => `${name}=${value}`);
  const args = ["-c", script];
  const { fd } = native.fork("/bin/sh", args, env, "/", 80, 24, -1, -1, true, "", () => process.exit());
  let viewer;
  const output = (length, bytes) => {
    if (viewer !== undefined) writeSync(viewer, bytes, 0, length);
    return true;
  };
  new ReadStream(fd, reading(output)).on("error", () => process.exit()).resume();
  const input = (length, bytes) => {
    writeSync(fd, bytes, 0, length);
    return true;
  };
  createServer({ pauseOnConnect: true }, (accepted) => {
    const handle = accepted._handle;
    accepted._handle = null;
    viewer = handle.fd;
    new Socket({ handle, ...reading(input) }).on("error", () => process.exit()).resume();
  }).listen(path, () => writeSync(openSync(`${path}.ready`, "w"), "ready"));
}

function attach() {
  const output = (length, bytes) => {
    writeSync(1, bytes, 0, length);
    return true;
  };
  const socket = connect({ path, ...reading(output) }).on("close", () => process.exit());
  const input = (length, bytes) => {
    writeSync(socket._handle.fd, bytes, 0, length);
    return true;
  };
  new ReadStream(0, reading(input)).setRawMode(true).resume();
}
