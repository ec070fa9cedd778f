/** What a request of a given size would cost today, for `client.models.estimateCost()`. */
import { priceUsage } from "./price-request.ts";
import { bundledPriceTable, type PriceTable } from "./price-table.ts";

/**
 * Dollars for one request without any cache, or undefined when the model has no price: an unknown price is
 * not $0. The agent is part of how a registry names a model; list prices do not depend on it.
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
