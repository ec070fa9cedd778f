/** The first scripted day: three agents and a person in one repository, with a rebase, a squash and a formatter. */
import { Day } from "./blame-repository.mjs";

export function makeFirstDay(directory) {
  const day = new Day(directory);
  const files = ["cart", "price", "order", "user", "mail"].map((name) => `src/${name}.js`);
  for (const path of files) day.type(path, 0, 0, [...day.code(), ...day.code(), ...day.code()]);
  day.commit("Import the shop");

  const [claude, codex, gemini] = ["claude", "codex", "gemini"].map((agent) => day.session(agent));
  for (const [index, session] of [claude, codex, gemini].entries()) {
    day.edit(session, files[index], 12, 0, day.code(5));
    day.edit(session, files[index], 2, 2, [`  const total = addEverything(input, '${session.agent}');`]);
    day.create(session, `src/${session.agent}-made.js`, [...day.code(), ...day.code(6)]);
  }
  day.editWithin(claude, files[0], 1, "compute1(input", "computeSafely(input");
  // The person works in the same files before the commit.
  day.type(files[0], 15, 0, ["  auditAccess(input.user, 'typed by hand');"]);
  day.type(files[1], 14, 1, ["  const replacedByHand = measure(input, 'by hand');"]);
  day.type(files[2], 20, 0, day.code(3));
  day.commit("Add steps with three agents");

  // A call that failed, and a person who types it.
  const wanted = day.code(4);
  day.failedEdit(claude, files[3], wanted);
  day.type(files[3], 5, 0, wanted);
  // A person types lines, which a session then writes again with the whole file.
  day.type(files[4], 6, 0, day.code(3));
  day.overwrite(gemini, files[4], (lines) => [...lines.slice(0, 20), ...day.code(4), ...lines.slice(20)]);
  day.shellEdit(codex, files[1], 3, ["  const bySed = insertedByShell(input, 'sed');"]);
  day.commit("Type what failed, write a file anew");

  // Removed and typed again, with a commit in between.
  const again = day.code(4);
  day.edit(codex, files[3], 18, 0, again);
  day.commit("Add a step");
  day.type(files[3], 18, again.length, []);
  day.commit("Remove the step");
  day.type(files[3], 18, 0, again);
  day.commit("Type the step again");

  // Two sessions write the same text.
  const both = day.code(4);
  day.edit(claude, files[2], 3, 0, both);
  day.type(files[2], 3, both.length, []);
  day.edit(gemini, files[2], 3, 0, both);
  // A person copies a session's function.
  const copied = day.code(4);
  day.edit(claude, files[1], 9, 0, copied);
  day.type(files[1], 30, 0, copied);
  day.commit("Repeat text");

  // A branch that is rebased.
  day.git("checkout", "-q", "-b", "feature");
  const second = day.session("claude");
  day.edit(second, files[0], 25, 0, day.code(6));
  day.type(files[0], 28, 0, ["  // by hand on the feature branch, between"]);
  day.commit("Work on a branch");
  day.edit(second, files[4], 4, 1, ["  const onBranch = changedOnBranch(input, 'feature');"]);
  day.commit("Work on a branch again");
  const onBranch = new Map([...day.files].map(([path, lines]) => [path, lines]));
  day.git("checkout", "-q", "main");
  const readme = ["# Shop", "", "A shop that is typed by hand in this line.", ""];
  day.type("README.md", 0, 0, readme);
  day.commit("Write a readme");
  day.git("checkout", "-q", "feature");
  day.pass();
  day.git("rebase", "-q", "main");
  day.git("checkout", "-q", "main");
  day.git("merge", "-q", "--ff-only", "feature");
  for (const [path, lines] of onBranch) day.files.set(path, lines);

  // A branch that is squashed.
  day.git("checkout", "-q", "-b", "squashed");
  const third = day.session("codex");
  day.edit(third, files[3], 2, 1, ["  const squashedIn = takenFromBranch(input, 'squash');"]);
  day.commit("First part");
  day.type(files[3], 12, 0, ["  const besideIt = typedByHand(input, 'squash');"]);
  day.edit(third, files[3], 30, 0, day.code(5));
  day.commit("Second part");
  day.git("checkout", "-q", "main");
  day.pass();
  day.git("merge", "-q", "--squash", "squashed");
  day.commit("Squash a branch", ["First part", "Second part"]);

  // A formatter over what a session and a person wrote.
  const fourth = day.session("gemini");
  day.edit(fourth, files[1], 20, 0, day.code(5));
  day.type(files[1], 22, 0, ["  const thenTyped = byHand(input, 'before the formatter');"]);
  day.format(files[1]);
  day.commit("Format prices");
  day.format("src/codex-made.js");
  day.commit("Format a made file");

  // Left in the working tree.
  day.edit(fourth, files[0], 40, 0, day.code(4));
  day.type(files[0], 43, 0, ["  const lastTyped = byHand(input, 'not committed');"]);
  return day;
}
