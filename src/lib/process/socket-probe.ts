/** Checks whether a process listens on a socket, without side effects. */
import { connect } from "node:net";
import { codeOf } from "../fs/directory.ts";

/** Whether a process accepts connections there. Only "refused" and "no such file" prove that none does. */
export function socketAnswers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    const done = (answer: boolean): void => {
      probe.destroy();
      resolve(answer);
    };
    probe.once("connect", () => done(true));
    probe.once("error", (error) => done(!["ECONNREFUSED", "ENOENT"].includes(codeOf(error))));
  });
}
