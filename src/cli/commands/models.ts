import { createClient } from "../../index.ts";
import type { ModelListing } from "../../models/model-list.ts";
import type { Command } from "../command.ts";
import { table, type Column } from "../format/table.ts";

const command: Command = {
  name: "models",
  description: `Every model with a known price, in dollars per million tokens, as of today. Prices in prices.json of AMUX_HOME override these, from a date on where they name one:

  {"my-model": {"input": 1, "output": 4, "cacheRead": 0.1, "cacheWrite": 1.25, "cacheWrite1h": 2},
   "claude-opus-5": [{"from": "2027-01-01", "input": 4, "output": 20, "webSearch": 10,
     "tiers": [{"above": 200000, "input": 8, "output": 30}], "multipliers": {"fast": 2}}]}`,
  arguments: [{ name: "text", description: "only models or vendors with this in their name", optional: true }],
  examples: [
    ["amux models claude", "what the Claude models cost"],
    ["amux models --json", "for a script"],
  ],
  async run({ arguments: [text = ""], output }) {
    const wanted = text.toLowerCase();
    const models = createClient()
      .models.list()
      .filter(({ id, vendor }) => `${vendor}/${id}`.toLowerCase().includes(wanted));
    if (output.json) return output.writeJson(models);
    if (models.length === 0) return output.note(`No model with a known price has "${text}" in its name.`);
    await output.page(
      table(models, COLUMNS, output.width, (heading) => output.style("bold", heading)).map((line) => `${line}\n`),
    );
  },
};

export default command;

const COLUMNS: readonly Column<ModelListing>[] = [
  { title: "MODEL", value: ({ id }) => id, min: 20 },
  { title: "VENDOR", value: ({ vendor }) => vendor, dispensable: 2 },
  { title: "INPUT", value: ({ rates }) => price(rates.input), align: "right" },
  { title: "OUTPUT", value: ({ rates }) => price(rates.output), align: "right" },
  { title: "CACHE READ", value: ({ rates }) => price(rates.cacheRead), align: "right", dispensable: 1 },
  { title: "CACHE WRITE", value: ({ rates }) => price(rates.cacheWrite), align: "right", dispensable: 1 },
];

function price(dollars: number | undefined): string {
  return dollars === undefined ? "" : `$${dollars}`;
}
