/** Loaded before a program: what it asked of the file system, as JSON on descriptor 3 at its end. */
const fs = require("node:fs");

const work = { opened: 0, read: 0, looked: 0, listed: 0 };
const count = (name, add) => {
  const original = fs[name];
  fs[name] = (...args) => {
    const result = original(...args);
    add(result);
    return result;
  };
};
count("openSync", () => work.opened++);
count("readSync", (bytes) => (work.read += bytes));
count("statSync", () => work.looked++);
count("readdirSync", () => work.listed++);
process.on("exit", () => fs.writeSync(3, JSON.stringify(work)));
