/**
 * The user's own prices, checked field by field because a typo would become a wrong bill. `amux models --help` shows the
 * file. A first `from` date keeps the built-in prices before it; without one they are replaced.
 */
import { AgentMuxError } from "../core/errors.ts";
import { asArray, asNumber, asObject, asString, type Json } from "../lib/json/fields.ts";
import { startOf, type DailyWindow, type PricePeriod, type Rates, type Tier } from "./price.ts";

/** Checked price histories by id, oldest period first. */
export function parsePriceOverrides(json: unknown): Map<string, PricePeriod[]> {
  const models = asObject(json);
  if (!models) throw invalid("the file", "must be an object from model id to prices");
  const overrides = new Map<string, PricePeriod[]>();
  for (const [id, value] of Object.entries(models)) {
    const periods = (asArray(value) ?? [value]).map((period, index) =>
      periodFrom(period, asArray(value) ? `${id}[${index}]` : id),
    );
    if (periods.length === 0) throw invalid(id, "has no prices");
    periods.sort((a, b) => startOf(a) - startOf(b));
    const repeated = periods.find((period, index) => index > 0 && startOf(period) === startOf(periods[index - 1]!));
    if (repeated) throw invalid(id, `has two prices from ${repeated.from ?? "the beginning"}`);
    overrides.set(id, periods);
  }
  return overrides;
}

function periodFrom(value: unknown, place: string): PricePeriod {
  const fields = objectAt(value, place, [...RATE_FIELDS, "from", "tiers", "daily", "webSearch", "multipliers"]);
  const period: PricePeriod = ratesFrom(fields, place);
  if (fields["from"] !== undefined) period.from = momentAt(fields["from"], `${place}.from`);
  if (fields["webSearch"] !== undefined) period.webSearch = amountAt(fields["webSearch"], `${place}.webSearch`);
  if (fields["tiers"] !== undefined) period.tiers = tiersFrom(fields["tiers"], `${place}.tiers`);
  if (fields["daily"] !== undefined) period.daily = dailyFrom(fields["daily"], `${place}.daily`);
  if (fields["multipliers"] !== undefined) {
    const factors = objectAt(fields["multipliers"], `${place}.multipliers`);
    period.multipliers = Object.fromEntries(
      Object.entries(factors).map(([name, factor]) => [name, amountAt(factor, `${place}.multipliers.${name}`)]),
    );
  }
  return period;
}

const RATE_FIELDS = ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h"];

function ratesFrom(fields: Json, place: string): Rates {
  const rates: Rates = {
    input: amountAt(fields["input"], `${place}.input`),
    output: amountAt(fields["output"], `${place}.output`),
  };
  for (const name of ["cacheRead", "cacheWrite", "cacheWrite1h"] as const) {
    if (fields[name] !== undefined) rates[name] = amountAt(fields[name], `${place}.${name}`);
  }
  return rates;
}

function tiersFrom(value: unknown, place: string): Tier[] {
  const tiers = arrayAt(value, place).map((tier, index) => {
    const fields = objectAt(tier, `${place}[${index}]`, [...RATE_FIELDS, "above"]);
    const above = numberAt(fields["above"], `${place}[${index}].above`);
    return { above, ...ratesFrom(fields, `${place}[${index}]`) };
  });
  return tiers.sort((a, b) => a.above - b.above);
}

const TIME_OF_DAY = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

function dailyFrom(value: unknown, place: string): DailyWindow[] {
  return arrayAt(value, place).map((window, index) => {
    const fields = objectAt(window, `${place}[${index}]`, [...RATE_FIELDS, "start", "end"]);
    const time = (name: string): string => {
      const text = asString(fields[name]);
      if (text === undefined || !TIME_OF_DAY.test(text)) {
        throw invalid(`${place}[${index}].${name}`, 'must be a time in UTC such as "16:30"');
      }
      return text;
    };
    return { start: time("start"), end: time("end"), ...ratesFrom(fields, `${place}[${index}]`) };
  });
}

function objectAt(value: unknown, place: string, known?: readonly string[]): Json {
  const fields = asObject(value);
  if (!fields) throw invalid(place, "must be an object");
  const unknownField = known && Object.keys(fields).find((name) => !known.includes(name));
  if (unknownField !== undefined) throw invalid(`${place}.${unknownField}`, "is not a field of a price");
  return fields;
}

function arrayAt(value: unknown, place: string): unknown[] {
  const items = asArray(value);
  if (!items) throw invalid(place, "must be a list");
  return items;
}

/** A dollar per token: more is a typo, and sums would lose precision. */
const MAX_AMOUNT = 1e6;

function amountAt(value: unknown, place: string): number {
  const amount = numberAt(value, place);
  if (amount > MAX_AMOUNT) throw invalid(place, `is over ${MAX_AMOUNT}, a dollar for each token`);
  return amount;
}

function numberAt(value: unknown, place: string): number {
  const number = asNumber(value);
  if (number === undefined || number < 0) throw invalid(place, "must be a number of 0 or more");
  return number;
}

function momentAt(value: unknown, place: string): string {
  const text = asString(value);
  if (text === undefined || !/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(Date.parse(text))) {
    throw invalid(place, 'must be a date such as "2026-03-13"');
  }
  return text;
}

function invalid(place: string, problem: string): AgentMuxError {
  return new AgentMuxError("CONFIG_ERROR", `${place} ${problem}.`);
}
