/**
 * Loaded into every Node of `npm run test:dates`. libfaketime moves the clock, but not the times of files that Node reads and
 * sets, nor the clock of programs that get an environment of their own.
 */
const childProcess = require("node:child_process");
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

const ms = Number(process.env.AMUX_DATE_OFFSET_MS);
const NAMES = [
  "LD_PRELOAD",
  "FAKETIME",
  "FAKETIME_SHARED",
  "DONT_FAKE_MONOTONIC",
  "AMUX_DATE_OFFSET_MS",
  "NODE_OPTIONS",
];
const inherited = Object.fromEntries(NAMES.flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])));

function moved(stats) {
  for (const name of stats ? ["atime", "mtime", "ctime", "birthtime"] : []) {
    if (typeof stats[`${name}Ms`] === "bigint") {
      stats[`${name}Ms`] += BigInt(ms);
      stats[`${name}Ns`] += BigInt(ms) * 1_000_000n;
    } else stats[`${name}Ms`] += ms;
    const value = new Date(Number(stats[`${name}Ms`]));
    Object.defineProperty(stats, name, { value, writable: true, enumerable: true, configurable: true });
  }
  return stats;
}

const real = (time) => new Date((time instanceof Date ? time.getTime() : Number(time) * 1000) - ms);

/** Puts `make(old)` in the place of each of these functions that there is. */
function replace(holder, names, make) {
  for (const name of names) if (holder[name] !== undefined) holder[name] = make(holder[name].bind(holder));
}

const STATS = ["stat", "lstat", "fstat"];
const TIMES = ["utimes", "lutimes", "futimes"];
const sync = (name) => `${name}Sync`;

const stat =
  (old) =>
  async (...args) =>
    moved(await old(...args));
const setTimes =
  (old) =>
  (path, atime, mtime, ...rest) =>
    old(path, real(atime), real(mtime), ...rest);
replace(
  fs,
  STATS.map(sync),
  (old) =>
    (...args) =>
      moved(old(...args)),
);
replace(fs, STATS, (old) => (...args) => {
  const done = args.pop();
  old(...args, (error, stats) => done(error, moved(stats)));
});
replace(fs, [...TIMES, ...TIMES.map(sync)], setTimes);
replace(fs.promises, STATS, stat);
replace(fs.promises, TIMES, setTimes);
replace(fs.promises, ["open"], (old) => async (...args) => {
  const handle = await old(...args);
  replace(handle, ["stat"], stat);
  replace(handle, ["utimes"], (set) => (atime, mtime) => set(real(atime), real(mtime)));
  return handle;
});

const { spawn } = childProcess.ChildProcess.prototype;
childProcess.ChildProcess.prototype.spawn = function (options) {
  const given = new Set(options.envPairs.map((pair) => pair.slice(0, pair.indexOf("="))));
  const more = Object.entries(inherited).filter(([name]) => !given.has(name));
  return spawn.call(this, { ...options, envPairs: [...options.envPairs, ...more.map((pair) => pair.join("="))] });
};
replace(childProcess, ["spawnSync", "execFileSync", "execSync"], (old) => (...args) => {
  const options = args.at(-1);
  if (options?.env !== undefined) args[args.length - 1] = { ...options, env: { ...inherited, ...options.env } };
  return old(...args);
});
syncBuiltinESMExports();
