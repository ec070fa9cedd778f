/**
 * Which price holds for a model at a moment. The bundled table is generated (`scripts/gen-prices.mjs`); a
 * user's prices can be laid over it. What a request costs is `price-request.ts`.
 */
import { modelForms, modelKey } from "./model-id.ts";
import { startOf, type DailyWindow, type PriceData, type PricePeriod, type Rates, type Tier } from "./price.ts";
import { parsePriceOverrides } from "./price-overrides.ts";
import bundled from "./prices.gen.json" with { type: "json" };

export interface PriceTable {
  /** Names the sources; together with `digest` it says which prices a figure was made with. */
  readonly version: string;
  readonly digest: string;
  /**
   * The price of `model` at a time (now when the time is unknown), for a request with these modifiers.
   * Undefined: unpriced. A modifier without a known multiplier is unpriced too, never the plain price.
   */
  lookup(model: string, atMs?: number, modifiers?: readonly string[]): PriceRow | undefined;
  /** From when to when a model's price is the one at a time; undefined when it has none, or it changes with the hour. */
  span(model: string, atMs: number): { from: number; to: number } | undefined;
  /** Every model that has a price at some time. */
  models(): Iterable<{ id: string; vendor: string }>;
}

export interface PriceRow {
  /** Id in the table, which need not be the id that was asked for. */
  model: string;
  vendor: string;
  rates: Rates;
  /** Ascending; the last one that is exceeded prices the whole request. */
  tiers: readonly Tier[];
  /** Dollars per 1000 web searches. */
  webSearch?: number;
  /** On the token prices, for all modifiers together. */
  multiplier: number;
  /** By modifier, all that are known for this model. */
  multipliers: Readonly<Record<string, number>>;
}

let bundledTable: PriceTable | undefined;

/** The table without overrides; built when first asked for. */
export function bundledPriceTable(): PriceTable {
  bundledTable ??= createPriceTable();
  return bundledTable;
}

/** A table with the user's prices (a parsed `prices.json`) laid over the bundled ones. */
export function createPriceTable(overrides: unknown = {}): PriceTable {
  return new IndexedPriceTable(bundled as unknown as PriceData, parsePriceOverrides(overrides));
}

/** Vendor of models that only the user's file knows. */
const USER_VENDOR = "user";

interface PricedModel {
  id: string;
  vendor: string;
  /** Oldest first. */
  periods: PricePeriod[];
}

/** A request that is free by its name (`:free` of OpenRouter), whether the model is known or not. */
const FREE_OF_CHARGE: PricedModel = { id: "free", vendor: "", periods: [{ input: 0, output: 0 }] };

class IndexedPriceTable implements PriceTable {
  readonly version: string;
  readonly digest: string;
  readonly #byKey = new Map<string, PricedModel>();
  readonly #aliases = new Map<string, string>();
  /** Agents use a handful of ids for thousands of requests; folding one costs more than pricing it. */
  readonly #resolved = new Map<string, Resolved | undefined>();

  constructor(data: PriceData, overrides: ReadonlyMap<string, PricePeriod[]>) {
    for (const [vendor, models] of Object.entries(data.vendors)) {
      for (const [id, periods] of Object.entries(models)) this.#byKey.set(modelKey(id), { id, vendor, periods });
    }
    for (const [alias, id] of Object.entries(data.aliases)) this.#aliases.set(modelKey(alias), modelKey(id));
    for (const [id, periods] of overrides) this.#override(id, periods);
    this.version = overrides.size === 0 ? data.version : `${data.version}+user`;
    this.digest = overrides.size === 0 ? data.digest : digestOf(data.digest, overrides);
  }

  lookup(model: string, atMs: number = Date.now(), modifiers: readonly string[] = []): PriceRow | undefined {
    const resolved = this.#resolve(model);
    if (!resolved) return undefined;
    const period = resolved.model.periods.findLast((period) => startOf(period) <= atMs);
    if (!period) return undefined;
    const multiplier = multiplierOf(period, new Set([...resolved.modifiers, ...modifiers]));
    if (multiplier === undefined) return undefined;
    return {
      model: resolved.model.id,
      vendor: resolved.model.vendor,
      rates: period.daily?.find((window) => isWithin(window, atMs)) ?? period,
      tiers: period.tiers ?? [],
      ...(period.webSearch === undefined ? {} : { webSearch: period.webSearch }),
      multiplier,
      multipliers: period.multipliers ?? {},
    };
  }

  span(model: string, atMs: number): { from: number; to: number } | undefined {
    const periods = this.#resolve(model)?.model.periods ?? [];
    const index = periods.findLastIndex((period) => startOf(period) <= atMs);
    const period = periods[index];
    if (!period || period.daily) return undefined;
    const next = periods[index + 1];
    return { from: startOf(period), to: next ? startOf(next) : Number.POSITIVE_INFINITY };
  }

  models(): Iterable<PricedModel> {
    return this.#byKey.values();
  }

  #find(key: string): PricedModel | undefined {
    return this.#byKey.get(key) ?? this.#byKey.get(this.#aliases.get(key) ?? "");
  }

  #override(id: string, periods: PricePeriod[]): void {
    const key = modelKey(id);
    const known = this.#find(key);
    const since = startOf(periods[0]!);
    const multipliers = known?.periods.at(-1)?.multipliers;
    this.#byKey.set(key, {
      id: this.#byKey.get(key)?.id ?? id,
      vendor: known?.vendor ?? USER_VENDOR,
      periods: [
        ...(known?.periods.filter((period) => startOf(period) < since) ?? []),
        ...periods.map((period) => (multipliers ? { multipliers, ...period } : period)),
      ],
    });
  }

  #resolve(id: string): Resolved | undefined {
    if (this.#resolved.has(id)) return this.#resolved.get(id);
    let found: Resolved | undefined;
    for (const { key, modifiers } of modelForms(id)) {
      const model = modifiers.includes("free") ? FREE_OF_CHARGE : this.#find(key);
      if (!model) continue;
      found = { model, modifiers: model === FREE_OF_CHARGE ? [] : modifiers };
      break;
    }
    this.#resolved.set(id, found);
    return found;
  }
}

interface Resolved {
  model: PricedModel;
  modifiers: string[];
}

/** The product; undefined when one of them has no known price for this model. */
function multiplierOf(period: PricePeriod, modifiers: ReadonlySet<string>): number | undefined {
  let product = 1;
  for (const modifier of modifiers) {
    const factors = period.multipliers ?? {};
    if (!Object.hasOwn(factors, modifier)) return undefined;
    product *= factors[modifier]!;
  }
  return product;
}

function isWithin(window: DailyWindow, atMs: number): boolean {
  const minute = Math.floor(atMs / 60_000) % MINUTES_PER_DAY;
  const start = minuteOfDay(window.start);
  const end = minuteOfDay(window.end);
  return start <= end ? start <= minute && minute < end : start <= minute || minute < end;
}

const MINUTES_PER_DAY = 24 * 60;

function minuteOfDay(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
}

function digestOf(base: string, overrides: ReadonlyMap<string, PricePeriod[]>): string {
  // Loading node:crypto takes longer than everything else here, and most users have no prices of their own.
  const { createHash } = process.getBuiltinModule("node:crypto");
  const sorted = [...overrides].sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(base).update(JSON.stringify(sorted)).digest("hex").slice(0, base.length);
}
