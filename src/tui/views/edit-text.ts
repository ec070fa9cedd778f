/** Texts of several lines, in the user's editor, as git does it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readText } from "../../lib/fs/foreign-file.ts";
import type { Stage } from "../view.ts";

/** Undefined if the editor failed, which also is the way to give up. */
export async function editText(stage: Stage, text: string): Promise<string | undefined> {
  const { vars } = stage.services.env;
  const editor = vars["VISUAL"] || vars["EDITOR"] || "vi";
  // Private to its owner.
  const directory = mkdtempSync(join(tmpdir(), "amux-text-"));
  const file = join(directory, "text.md");
  try {
    writeFileSync(file, text === "" ? "" : `${text}\n`);
    // It may have arguments.
    if (await stage.handOver("sh", ["-c", `${editor} "$@"`, editor, file])) return readText(file).trimEnd();
    stage.say(`The editor (${editor}) failed. The text is unchanged; VISUAL or EDITOR names another one.`, "bad");
    return undefined;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
