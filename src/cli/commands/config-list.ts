import { createClient, type ConfigEntry } from "../../index.ts";
import type { Command } from "../command.ts";
import { table, type Column } from "../format/table.ts";
import { shownValue } from "../setting-value.ts";

const command: Command = {
  name: "config list",
  examples: [
    ["amux config list", "settings that apply in this directory"],
    ["amux config list --json", "for a script"],
  ],
  async run({ output }) {
    const entries = createClient().config.list();
    if (output.json) return output.writeJson(entries);
    await output.page(
      table(entries, COLUMNS, output.width, (heading) => output.style("bold", heading)).map((line) => `${line}\n`),
    );
  },
};

export default command;

const COLUMNS: readonly Column<ConfigEntry>[] = [
  { title: "SETTING", value: ({ key }) => key },
  { title: "VALUE", value: ({ value }) => shownValue(value), min: 20 },
  { title: "FROM", value: ({ source }) => source },
];
