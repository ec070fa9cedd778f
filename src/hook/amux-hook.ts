/**
 * Entry of the hook program. It always ends soon and succeeds, unless a runner holds it until the user decides. It prints nothing but
 * the user's decision, and the refusal of a used-up budget. With `statusline` as its first argument it prints an agent's status line.
 */
import { hasListener } from "./has-listener.ts";
import { patience } from "./patience.ts";

/** Agents wait for their hooks; the shortest of their own limits is 1.5 s. */
const BUDGET_MS = 1200;

function end(): never {
  process.exit(0);
}

process.on("uncaughtException", end);
process.on("unhandledRejection", end);
if (process.argv[2] === "statusline")
  void import("./status-line.ts")
    .then(({ runStatusLine }) => runStatusLine(process.argv.slice(3), process.env))
    .finally(end);
else if (hasListener(process.env)) {
  const budget = setTimeout(end, patience(BUDGET_MS));
  const onHeld = (): void => clearTimeout(budget);
  void import("./run-hook.ts").then(({ runHook }) => runHook(process.argv.slice(2), process.env, onHeld)).finally(end);
} else end();
