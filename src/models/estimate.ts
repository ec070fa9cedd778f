/** Cost of a request of a given size today, for `client.models.estimateCost()`. */
import { priceUsage } from "./price-request.ts";
import { bundledPriceTable, type PriceTable } from "./price-table.ts";

/**
 * Dollars for one request without cache, or undefined without a price: an unknown price is not $0. List prices do not depend on
 * the agent.
 */
export function estimateCost(
  _agent: string,
  modelId: string,
  inputTokens: number,
  outputTokens: number,
  table: PriceTable = bundledPriceTable(),
): number | undefined {
  const tokens = { input: inputTokens, cached: 0, cacheWrite: 0, cacheWrite1h: 0, output: outputTokens, thinking: 0 };
  const price = priceUsage({ model: modelId, tokens }, table);
  return price.kind === "unpriced" ? undefined : price.nanoUsd / 1e9;
}
