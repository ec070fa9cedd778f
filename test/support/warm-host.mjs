/** Runs one command of the built `amux` after the other, each with its own arguments, environment and directory. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Readable } from "node:stream";

const amux = join(import.meta.dirname, "../../dist/amux.cjs");
const [, chunk] = /require\("(\.\/chunks\/main-[\w-]+\.cjs)"\)/.exec(readFileSync(amux, "utf8"));
const { main } = createRequire(amux)(chunk);

async function run({ args, env, cwd, mark }) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv.splice(1, Infinity, amux, ...args);
  Object.defineProperty(process, "stdin", { value: Readable.from([]), configurable: true });
  process.exitCode = await main(args);
  // Like a process of its own, the command ends when nothing is under way any more.
  process.channel.unref();
  process.once("beforeExit", (code) => {
    process.channel.ref();
    process.exitCode = undefined;
    for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners("error").write(mark);
    process.send({ code });
  });
}

process.on("message", (message) => void run(message));
process.on("disconnect", () => process.exit());
