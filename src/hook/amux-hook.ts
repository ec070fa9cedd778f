/**
 * The hook program's entry. Whatever happens, it ends soon, says nothing, and succeeds; unless its agent waits for a
 * decision and a runner holds it: then it ends with the decision, or when the runner does.
 */
import { isHeard } from "./is-heard.ts";

/** Agents wait for their hooks; the shortest of their own limits is 1.5 s. */
const BUDGET_MS = 1200;

function end(): never {
  process.exit(0);
}

process.on("uncaughtException", end);
process.on("unhandledRejection", end);
if (isHeard(process.env)) {
  const budget = setTimeout(end, BUDGET_MS);
  const onHeld = (): void => clearTimeout(budget);
  void import("./run-hook.ts").then(({ runHook }) => runHook(process.argv.slice(2), process.env, onHeld)).finally(end);
} else end();
