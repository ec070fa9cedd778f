/** Is anybody there? The only question a socket file can be asked without changing anything. */
import { connect } from "node:net";
import { codeOf } from "../fs/directory.ts";

/** Whether a living process accepts connections there. Only "refused" and "no such file" prove that none does. */
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
