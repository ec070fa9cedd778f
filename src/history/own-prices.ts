/** The user's own prices, in `<home>/prices.json`. */
import { join } from "node:path";
import type { AgentEnv } from "../agents/adapter.ts";
import { AgentMuxError } from "../core/errors.ts";
import { amuxHome } from "../lib/fs/paths.ts";
import { bundledPriceTable, createPriceTable, type PriceTable } from "../models/price-table.ts";
import { settingsText } from "../lib/fs/foreign-file.ts";

function pathIn(env: AgentEnv): string {
  return join(amuxHome(env), "prices.json");
}

/** The file's contents; undefined if there is none. */
export function ownPrices(env: AgentEnv): string | undefined {
  return settingsText(pathIn(env));
}

/** The bundled prices, overridden by the user's. An invalid file is an error, because its prices were meant to apply. */
export function priceTable(env: AgentEnv): PriceTable {
  const path = pathIn(env);
  const text = ownPrices(env);
  if (text === undefined) return bundledPriceTable();
  try {
    return createPriceTable(JSON.parse(text));
  } catch (error) {
    if (error instanceof AgentMuxError) throw new AgentMuxError("CONFIG_ERROR", `${path}: ${error.message}`);
    throw new AgentMuxError("CONFIG_ERROR", `${path} is not valid JSON: ${(error as Error).message}`, { cause: error });
  }
}
