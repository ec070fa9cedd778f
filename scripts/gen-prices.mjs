/**
 * Writes src/models/prices.gen.json from @pydantic/genai-prices (MIT) and src/models/extra-prices.json, which takes precedence.
 * `node scripts/gen-prices.mjs --check` fails if the file is stale.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findProvider } from "@pydantic/genai-prices";
import { build } from "rolldown";

const folder = join(dirname(fileURLToPath(import.meta.url)), "../src/models");
const target = join(folder, "prices.gen.json");

/** The package does not contain its data's date: it belongs to the version in the registry. */
const SOURCE = { name: "@pydantic/genai-prices", version: "0.1.8", date: "2026-09-23" };

/** Makers before resellers: the first that knows a model sets its price. */
const VENDORS = [
  "anthropic",
  "openai",
  "google",
  "x-ai",
  "deepseek",
  "moonshotai",
  "zai",
  "minimax",
  "mistral",
  "groq",
];

/** OpenRouter lists hundreds; these make coding models that no vendor above sells. */
const OPENROUTER_AUTHORS =
  /^(?:amazon|arcee-ai|bytedance-seed|cohere|deepseek|google|inception|kwaipilot|meta-llama|minimax|mistralai|moonshotai|nousresearch|nvidia|openai|qwen|stepfun|x-ai|xiaomi|z-ai)\/[^:]*$/;

/** Models no coding agent uses. */
const OTHER_USES =
  /audio|realtime|tts|transcribe|image|embed|whisper|ocr|voice|live|omni|moderation|guard|computer-use|search-preview|lyria|palm|vision|voxtral|^ft:|\.ft-|^(?:text-)?(?:ada|babbage|curie|davinci)|\bgpt-3/i;

const { modelKey, modelForms } = await importTypeScript(join(folder, "model-id.ts"));

const byKey = new Map();
const aliases = new Map();
const extra = JSON.parse(readFileSync(join(folder, "extra-prices.json"), "utf8"));
addExtraModels();
for (const vendor of VENDORS) addModelsOf(vendor);
for (const vendor of VENDORS) addAliasesOf(vendor);
addLabels();
addMultipliers();
addRestOfOpenRouter();
write();

function addExtraModels() {
  for (const { id, vendor, prices, aliases: others = [] } of extra.models) {
    byKey.set(modelKey(id), { id, vendor, periods: prices });
    for (const alias of others) aliases.set(modelKey(alias), { alias, id });
  }
}

function addModelsOf(vendor) {
  for (const model of textModels(vendor)) {
    const key = modelKey(model.id);
    if (!byKey.has(key)) byKey.set(key, { id: model.id, vendor, periods: periodsOf(model) });
  }
}

/** Only names that normalising an id does not already map to the model. */
function addAliasesOf(vendor) {
  for (const model of textModels(vendor)) {
    const { id } = modelNamed(model.id);
    // Agents drop "preview" from Google's names before Google does.
    const names = [...namesIn(model.match), ...(vendor === "google" ? [id.replace(/-preview$/, "")] : [])];
    for (const name of names) {
      const key = modelKey(name);
      const isTaken = byKey.has(key) || aliases.has(key) || OTHER_USES.test(name);
      if (!isTaken && resolve(name) !== id) aliases.set(key, { alias: name, id });
    }
  }
}

/** A label that moved between models has the price history of all of them. */
function addLabels() {
  for (const { id, vendor, follows } of extra.labels) {
    const periods = follows.flatMap(({ from, model }, index) => {
      const until = follows[index + 1]?.from ?? "9999";
      const history = modelNamed(model).periods;
      const first = history.findLast((period) => (period.from ?? "") <= from);
      const later = history.filter((period) => period.from > from && period.from < until);
      return [{ ...first, from }, ...later.map((period) => ({ ...period }))];
    });
    byKey.set(modelKey(id), { id, vendor, periods });
  }
}

function addMultipliers() {
  for (const { modifiers, factor, models } of extra.multipliers) {
    for (const id of models) {
      for (const period of modelNamed(id).periods) {
        for (const modifier of modifiers) period.multipliers = { ...period.multipliers, [modifier]: factor };
      }
    }
  }
}

/** OpenRouter's prices for models that none of the makers above sells. */
function addRestOfOpenRouter() {
  for (const model of textModels("openrouter")) {
    if (!OPENROUTER_AUTHORS.test(model.id) || resolve(model.id) !== undefined) continue;
    byKey.set(modelKey(model.id), { id: model.id, vendor: "openrouter", periods: periodsOf(model) });
  }
}

function textModels(vendor) {
  return findProvider({ providerId: vendor }).models.filter((model) => {
    // Vertex sells Claude too, at Anthropic's prices, but lists fewer models.
    if (OTHER_USES.test(model.id) || (vendor === "google" && model.id.startsWith("claude"))) return false;
    return pricesOf(model).every(({ prices }) => baseOf(prices.input_mtok) > 0 && baseOf(prices.output_mtok) > 0);
  });
}

function pricesOf(model) {
  return Array.isArray(model.prices) ? model.prices : [{ prices: model.prices }];
}

/** Prices by time of day have no date; they belong to the previous period in the list. */
function periodsOf(model) {
  const periods = [];
  for (const { constraint, prices } of pricesOf(model)) {
    if (constraint?.type === "time_of_date") {
      const window = { start: constraint.start_time.slice(0, 5), end: constraint.end_time.slice(0, 5) };
      (periods.at(-1).daily ??= []).push({ ...window, ...ratesOf(prices, baseOf) });
      continue;
    }
    const period = { ...(constraint ? { from: constraint.start_date } : {}), ...ratesOf(prices, baseOf) };
    if (prices.web_searches_kcount !== undefined) period.webSearch = prices.web_searches_kcount;
    const starts = new Set(Object.values(prices).flatMap((price) => price.tiers?.map(({ start }) => start) ?? []));
    const tiers = [...starts].map((above) => ({ above, ...ratesOf(prices, (price) => priceAbove(price, above)) }));
    if (tiers.length > 0) period.tiers = tiers;
    periods.push(period);
  }
  return periods;
}

function ratesOf(prices, priceOf) {
  const rates = {
    input: priceOf(prices.input_mtok),
    output: priceOf(prices.output_mtok),
    cacheRead: priceOf(prices.cache_read_mtok),
    cacheWrite: priceOf(prices.cache_write_mtok),
    cacheWrite1h: priceOf(prices.cache_write_1h_mtok),
  };
  return Object.fromEntries(Object.entries(rates).filter(([, rate]) => rate !== undefined));
}

function baseOf(price) {
  return typeof price === "object" ? price.base : price;
}

function priceAbove(price, above) {
  return price?.tiers?.findLast(({ start }) => start <= above)?.price ?? baseOf(price);
}

/** Names in a rule of the source; partial dates and open ends are not names. */
function namesIn(rule) {
  const name = rule.equals ?? rule.starts_with;
  if (name !== undefined) return /[@:]|-20\d*$/.test(name) ? [] : [name.replace(/-$/, "")];
  return (rule.or ?? []).flatMap(namesIn);
}

/** The model id that the price table finds for a name. */
function resolve(name) {
  for (const { key, modifiers } of modelForms(name)) {
    const model = byKey.get(key) ?? byKey.get(modelKey(aliases.get(key)?.id ?? ""));
    if (model && modifiers.every((modifier) => model.periods[0].multipliers?.[modifier] !== undefined)) return model.id;
  }
  return undefined;
}

function modelNamed(id) {
  const model = byKey.get(modelKey(id));
  if (!model) throw new Error(`extra-prices.json names ${id}, which has no price`);
  return model;
}

function write() {
  const manifest = join(folder, "../../node_modules", SOURCE.name, "package.json");
  const installed = JSON.parse(readFileSync(manifest, "utf8")).version;
  if (installed !== SOURCE.version) {
    throw new Error(`${SOURCE.name} ${installed} is installed: put its version and date into scripts/gen-prices.mjs`);
  }
  const vendors = {};
  for (const { id, vendor, periods } of byKey.values()) (vendors[vendor] ??= {})[id] = periods;
  const content = { vendors, aliases: Object.fromEntries([...aliases.values()].map(({ alias, id }) => [alias, id])) };
  const data = {
    version: `genai-prices@${SOURCE.version}+extra@${extra.date}`,
    digest: createHash("sha256").update(JSON.stringify(content)).digest("hex").slice(0, 16),
    sources: [SOURCE, { name: "extra-prices.json", version: extra.date, date: extra.date }],
    ...content,
  };
  // Compared by content, so that formatting does not make it stale.
  const fresh = JSON.stringify(data);
  const isFresh = existsSync(target) && JSON.stringify(JSON.parse(readFileSync(target, "utf8"))) === fresh;
  if (isFresh) return;
  if (!process.argv.includes("--check")) return writeFileSync(target, `${fresh}\n`);
  console.error("src/models/prices.gen.json is stale: run `node scripts/gen-prices.mjs`");
  process.exitCode = 1;
}

/** Uses the product's own id normalisation, not a copy of it. */
async function importTypeScript(path) {
  const { output } = await build({ input: path, write: false });
  return await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
}
