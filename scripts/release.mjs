/**
 * `npm run release -- <version> [--dry-run]`: tests, closes the changelog's open part, sets the version, builds, writes a list of
 * what is inside (SBOM), packs, commits, publishes and tags. With `--dry-run` it changes and sends nothing.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root, say } from "./stages.mjs";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { "dry-run": { type: "boolean" } } });
const isDry = values["dry-run"] === true;
const file = (name) => join(root, name);
const { name, version: current } = JSON.parse(readFileSync(file("package.json"), "utf8"));
/** How to get back to where we were, if the next step fails. */
let undo = "Nothing was changed.";
const [version = isDry ? current : undefined] = positionals;

if (version === undefined || !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
  fail(`Which version? npm run release -- 1.2.3 (this is ${current}).`);
if (run("git", ["status", "--porcelain"], { always: true }) !== "")
  fail("There are uncommitted changes. Commit them first.");
if (run("git", ["tag", "--list", `v${version}`], { always: true }) !== "") fail(`v${version} is released already.`);

const changelog = released(readFileSync(file("CHANGELOG.md"), "utf8"));
run("npm", ["test"]);
const restore = "git checkout -- CHANGELOG.md package.json package-lock.json";
undo = `Undo: ${restore}`;
write("CHANGELOG.md", changelog);
run("npm", ["version", version, "--no-git-tag-version", "--allow-same-version"]);
// The version is built in.
run("npm", ["run", "build"]);
mkdirSync(file("node_modules/.cache/amux"), { recursive: true });
write(
  "node_modules/.cache/amux/sbom.json",
  run("npm", ["sbom", "--omit=dev", "--sbom-format=cyclonedx"], { always: true }),
);
run("npm", ["pack", "--dry-run"], { always: true });
run("git", ["commit", "--all", "--message", `Release ${version}`]);
undo = `Undo: git reset HEAD^ && ${restore}`;
// npm signs where a package was built only if that was on a server it knows.
const isSigned = Boolean(process.env.CI && process.env.GITHUB_ACTIONS);
if (!isSigned) say("      without provenance: that needs GitHub Actions");
const signed = isSigned ? ["--provenance"] : [];
// Nobody gets a prerelease without asking for it.
const tagged = version.includes("-") ? ["--tag", "next"] : [];
run("npm", ["publish", "--access", "public", ...signed, ...tagged]);
undo = "It is published. Set the tag by hand.";
run("git", ["tag", "--annotate", `v${version}`, "--message", `${name} ${version}`]);
say(isDry ? `\nNothing was changed or sent.` : `\n${name} ${version} is published. Push it: git push --follow-tags`);

/** What was "Unreleased" becomes this version, and a new open part is begun. */
function released(text) {
  const open = "## [Unreleased]\n";
  if (!text.includes(`${open}\n### `)) fail("CHANGELOG.md has nothing under [Unreleased].");
  return text.replace(open, `${open}\n## [${version}] - ${new Date().toISOString().slice(0, 10)}\n`);
}

function write(path, text) {
  say(`write ${path}`);
  if (!isDry) writeFileSync(file(path), text);
}

/** What it printed. Steps that change something are only named in a dry run. */
function run(command, args, { always = false } = {}) {
  say(`run   ${command} ${args.join(" ")}`);
  if (isDry && !always) return "";
  const stdio = always ? ["ignore", "pipe", "inherit"] : "inherit";
  const { status, stdout } = spawnSync(command, args, { cwd: root, encoding: "utf8", stdio, maxBuffer: 2 ** 26 });
  if (status !== 0) fail(`${command} failed. Nothing after it was done. ${undo}`);
  return stdout?.trim() ?? "";
}

function fail(message) {
  say(message);
  process.exit(1);
}
