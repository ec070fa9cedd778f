/** Writes the manual page and the shells' completions, made by the built command itself. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const COMPLETIONS = { bash: "amux.bash", zsh: "_amux", fish: "amux.fish" };

export function buildManual(directory) {
  const amux = (...args) =>
    execFileSync(process.execPath, [join(directory, "amux.cjs"), ...args], { encoding: "utf8", env: {} });
  mkdirSync(join(directory, "man"));
  writeFileSync(join(directory, "man", "amux.1"), manualPage(amux("--version").trim(), amux("help", "all")));
  mkdirSync(join(directory, "completions"));
  for (const [shell, name] of Object.entries(COMPLETIONS))
    writeFileSync(join(directory, "completions", name), amux("completion", shell));
}

function manualPage(version, help) {
  return [
    `.TH AMUX 1 "" "amux ${version}" "User Commands"`,
    ".SH NAME",
    "amux \\- every coding-agent session, live or past",
    ".SH SYNOPSIS",
    ".B amux",
    "[\\fIcommand\\fR] [\\fIarguments\\fR] [\\fIoptions\\fR]",
    ".SH DESCRIPTION",
    ".nf",
    ...help.trimEnd().split("\n").map(asRoff),
    ".fi",
    "",
  ].join("\n");
}

/** A backslash begins an escape, a bare hyphen may be set as a dash, a point or an apostrophe begins a request. */
function asRoff(line) {
  return line
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/, "\\&");
}
