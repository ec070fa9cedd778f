/**
 * Installs the real agents (1.5 GB) outside of the project, runs the acceptance tests, and writes RESULT.md.
 * Usage: node test/run/real-agents/run.mjs <folder> [agent …]
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const HERE = import.meta.dirname;
const ROOT = resolve(HERE, "../../..");

const [folder, ...only] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write("Name a folder for the agents: node test/run/real-agents/run.mjs <folder> [agent …]\n");
  process.exit(2);
}
const place = resolve(folder);
if (place.startsWith(`${ROOT}/`)) {
  process.stderr.write("Name a folder outside of the project: the agents are not part of it.\n");
  process.exit(2);
}

const agents = readAgents();
install();
const report = join(place, "report.json");
const pattern = only.length > 0 ? ["-t", `^(?:${only.join("|")}) `] : [];
const { status } = run("npx", [
  "vitest",
  "run",
  "test/run/real-agents/real-agents.test.ts",
  "test/run/real-agents/messages.test.ts",
  "test/run/real-agents/continue.test.ts",
  "test/run/real-agents/limits.test.ts",
  "--reporter=default",
  "--reporter=json",
  `--outputFile.json=${report}`,
  ...pattern,
]);
if (only.length === 0) writeFileSync(join(HERE, "RESULT.md"), resultPage());
process.exit(status ?? 1);

/** Names and versions stand in two TypeScript files. */
function readAgents() {
  const source = ["agent-homes.ts", "more-homes.ts"].map((file) => readFileSync(join(HERE, file), "utf8")).join("\n");
  const fields = /name: "(?<name>[^"]+)",\s+package: "(?<package>[^"]+)",\s+version: "(?<version>[^"]+)"/g;
  return [...source.matchAll(fields)].map(({ groups }) => groups);
}

function install() {
  mkdirSync(place, { recursive: true });
  // Optional: not every version is published for this machine, and old ones are withdrawn. Their cases are skipped.
  const optionalDependencies = Object.fromEntries(agents.map((agent) => [agent.package, agent.version]));
  // Kimi Code and Qwen Code need a newer Node.js than amux does.
  const manifest = { private: true, dependencies: { node: "22.23.3" }, optionalDependencies };
  writeFileSync(join(place, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const { status: installed } = spawnSync("npm", ["install", "--no-audit", "--no-fund"], {
    cwd: place,
    stdio: "inherit",
  });
  if (installed !== 0) process.exit(installed ?? 1);
}

function run(program, args) {
  const env = { ...process.env, AMUX_REAL_AGENTS: join(place, "node_modules/.bin") };
  return spawnSync(program, args, { cwd: ROOT, stdio: "inherit", env });
}

function resultPage() {
  const { testResults } = JSON.parse(readFileSync(report, "utf8"));
  const rows = testResults.flatMap(({ assertionResults }) =>
    assertionResults.map(
      ({ ancestorTitles, title, status: outcome, duration }) =>
        `| ${ancestorTitles.join(" ")} | ${title} | ${outcome} | ${((duration ?? 0) / 1000).toFixed(1)} s |`,
    ),
  );
  return [
    "# Runs against the real agents",
    "",
    "Written by `node test/run/real-agents/run.mjs`. The agents are the published npm packages; only the model service",
    "behind them is a stand-in on loopback. Times include the agent's own start.",
    "",
    `${new Date().toISOString().slice(0, 10)}, ${process.platform} ${process.arch}, Node ${process.version}`,
    "",
    "| agent | what | result | time |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}
