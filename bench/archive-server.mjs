/** Runs a private PostgreSQL for a benchmark, in a directory that can be kept. Root runs it as another user. */
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { postgresPrograms } from "../scripts/test-programs.mjs";

export async function startServer(directory) {
  const bin = postgresPrograms();
  if (bin === undefined) throw new Error("PostgreSQL is not installed: apt-get install postgresql");
  const data = join(directory, "data");
  const isNew = !existsSync(data);
  mkdirSync(data, { recursive: true });
  const isRoot = process.getuid() === 0;
  const user = isRoot ? idOf("postgres") : {};
  for (const path of isRoot ? [directory, data] : []) chownSync(path, user.uid, user.gid);
  chmodSync(directory, 0o755);
  chmodSync(data, 0o700);
  const options = { ...user, cwd: directory, env: { PATH: process.env.PATH, LC_ALL: "C.UTF-8" } };
  if (isNew) {
    execFileSync(join(bin, "initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8"], {
      ...options,
      stdio: "ignore",
    });
  }
  // Debian's defaults, with the memory of a small server.
  const settings = [
    "listen_addresses=",
    `unix_socket_directories=${directory}`,
    "shared_buffers=512MB",
    "max_wal_size=4GB",
  ];
  const server = spawn(join(bin, "postgres"), ["-D", data, ...settings.flatMap((setting) => ["-c", setting])], {
    ...options,
    stdio: ["ignore", "ignore", "pipe"],
  });
  await new Promise((resolve, reject) => {
    server.stderr.setEncoding("utf8").on("data", (text) => text.includes("ready to accept connections") && resolve());
    server.on("exit", () => reject(new Error("PostgreSQL did not start")));
  });
  server.removeAllListeners("exit");
  return {
    bin,
    address: (role, database) => `postgres:///${database}?host=${encodeURIComponent(directory)}&user=${role}`,
    stop: () =>
      new Promise((resolve) => {
        server.on("exit", resolve);
        server.kill("SIGINT");
      }),
  };
}

function idOf(name) {
  const number = (flag) => Number(execFileSync("id", [flag, name], { encoding: "utf8" }));
  return { uid: number("-u"), gid: number("-g") };
}
