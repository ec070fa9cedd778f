/** Runs for every file of program tests. These files share worker processes, so their support modules are loaded only once. */
import { afterEach } from "vitest";
import { disposeHomes } from "../runner/support/sessions.ts";
import { forgetWitnesses } from "./wait-for.ts";

afterEach(async () => {
  forgetWitnesses();
  await disposeHomes();
});
