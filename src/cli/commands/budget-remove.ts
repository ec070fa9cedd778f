import { AgentMuxError } from "../../core/errors.ts";
import { amuxHome, processEnv } from "../../lib/fs/paths.ts";
import { removeBudget } from "../../limits/budgets.ts";
import { checkedBudgets } from "../check-budgets.ts";
import type { Command } from "../command.ts";
import { PROJECT_OPTION, SPAN_ARGUMENT, spanOf } from "./budget-set.ts";

const command: Command = {
  name: "budget remove",
  arguments: [SPAN_ARGUMENT],
  options: [PROJECT_OPTION],
  examples: [["amux budget remove day", "sessions it stopped can go on"]],
  async run(invocation) {
    const [home, span] = [amuxHome(processEnv()), spanOf(invocation)];
    if (!removeBudget(home, span))
      throw new AgentMuxError("VALIDATION_ERROR", `There is no such budget. See amux budget list.`);
    await checkedBudgets();
    if (invocation.output.json) await invocation.output.writeJson({ ...span, removed: true });
  },
};

export default command;
