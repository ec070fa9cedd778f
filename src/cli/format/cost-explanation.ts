/** The requests behind a cost, by session. */
import type { AppliedPrice, CostExplanation, CostRequest, DroppedRequest } from "../../core/cost.ts";
import { groupBy } from "../../lib/values/group-by.ts";
import { printableJson, withoutControls } from "../../lib/text/text.ts";
import { weaker } from "../../history/cost/cost-item.ts";
import { zoneFrom } from "../../history/cost/grouping.ts";
import type { Output } from "../output.ts";
import { kindLines } from "./cost-table.ts";
import { compact, costCell, count, counted, money } from "./figures.ts";
import { table, type Column } from "./table.ts";

/** One request at a time: all of them may exceed the maximum string length. */
export function* explanationJson({ summary, requests, dropped }: CostExplanation): Generator<string> {
  yield `{\n  "summary": ${printableJson(JSON.stringify(summary))},\n  "requests": [`;
  yield* jsonItems(requests);
  yield `],\n  "dropped": [`;
  yield* jsonItems(dropped);
  yield "]\n}\n";
}

function* jsonItems(items: readonly object[]): Generator<string> {
  let separator = "\n    ";
  for (const item of items) {
    yield separator + printableJson(JSON.stringify(item));
    separator = ",\n    ";
  }
  if (items.length > 0) yield "\n  ";
}

export function* explanationLines(
  { summary, requests, dropped }: CostExplanation,
  output: Output,
  timeZone: string | undefined,
  /** Machines that hold a request or copy, for queries over several. */
  where?: (held: CostRequest | DroppedRequest) => string,
): Generator<string> {
  const zone = zoneFrom(timeZone);
  const time = (at: Date | undefined): string => (at === undefined ? "–" : zone.timeOf(at.getTime()));
  const copies = groupBy(dropped, (copy) => copy.session);
  const made = groupBy(requests, (request) => request.session);
  for (const session of new Set([...made.keys(), ...copies.keys()])) {
    const own = made.get(session) ?? [];
    yield `${output.style("bold", withoutControls(session))}  ${ownFigures(own, output)}\n`;
    if (own.length > 0) {
      for (const line of table(own, requestColumns(time, where), output.width, (text) => output.style("dim", text)))
        yield `${line}\n`;
    }
    yield* copyLines(copies.get(session) ?? [], output, where);
    yield "\n";
  }
  yield `${output.style("bold", `total ${money(summary.totalUsd)}`)}  ${counted(summary.requestCount, "request")}, ${counted(dropped.length, "copy", "copies")} not counted again\n`;
  for (const line of kindLines(summary)) yield `${line}\n`;
  yield `${output.style("dim", `API value at list prices ${summary.prices.version} (${summary.prices.digest})`)}\n`;
}

/** The session's own requests. If only its copies are shown, its own cost is omitted, which does not mean zero. */
function ownFigures(own: readonly CostRequest[], output: Output): string {
  if (own.length === 0) return output.style("dim", "copies only, counted where they were made");
  const totalUsd = own.reduce((sum, { usd }) => sum + usd, 0);
  const kind = own.map((request) => request.kind).reduce(weaker);
  return `${costCell({ totalUsd, kind })}  ${output.style("dim", counted(own.length, "entry", "entries"))}`;
}

function requestColumns(
  time: (at: Date | undefined) => string,
  where: ((held: CostRequest) => string) | undefined,
): Column<CostRequest>[] {
  return [
    { title: "TIME", value: (request) => time(request.timestamp) },
    ...(where === undefined ? [] : [{ title: "MACHINE", value: where }]),
    {
      title: "MODEL",
      value: (request) => `${request.model ?? "–"}${request.subagent === undefined ? "" : ` ↳${request.subagent}`}`,
      min: 12,
    },
    { title: "INPUT", value: (request) => compact(request.inputTokens), align: "right" },
    { title: "READ", value: (request) => compact(request.cachedTokens), align: "right" },
    { title: "WRITE", value: writeText, align: "right" },
    { title: "OUTPUT", value: (request) => compact(request.outputTokens), align: "right" },
    { title: "COST", value: (request) => costCell({ totalUsd: request.usd, kind: request.kind }), align: "right" },
    { title: "KIND", value: (request) => request.kind },
    { title: "PRICE", value: (request) => (request.price ? priceText(request.price) : ""), min: 10, dispensable: 2 },
    { title: "NOTE", value: (request) => request.note ?? "", min: 10, dispensable: 1 },
  ];
}

function writeText({ cacheWriteTokens, cacheWrite1hTokens }: CostRequest): string {
  if (cacheWrite1hTokens === 0) return compact(cacheWriteTokens);
  return cacheWrite1hTokens === cacheWriteTokens
    ? `${compact(cacheWriteTokens)} 1h`
    : `${compact(cacheWriteTokens)} (${compact(cacheWrite1hTokens)} 1h)`;
}

/** Dollars per million: input/output, then cache prices and multipliers. */
function priceText(price: AppliedPrice): string {
  const parts = [`${price.model} ${price.input}/${price.output}`];
  const { cacheRead, cacheWrite, cacheWrite1h } = price;
  if (cacheRead !== undefined || cacheWrite !== undefined) {
    parts.push(`cache ${[cacheRead, cacheWrite, cacheWrite1h].map((rate) => rate ?? "–").join("/")}`);
  }
  if (price.tier !== undefined) parts.push(`above ${compact(price.tier)}`);
  if (price.multiplier !== 1) parts.push(`×${price.multiplier} ${(price.modifiers ?? []).join(" ")}`.trimEnd());
  if (price.webSearch !== undefined) parts.push(`search ${price.webSearch}/1000`);
  return parts.join(", ");
}

function* copyLines(
  copies: readonly DroppedRequest[],
  output: Output,
  where: ((held: DroppedRequest) => string) | undefined,
): Generator<string> {
  const placed = groupBy(copies, (copy) => `${copy.owner}\0${where?.(copy) ?? ""}`);
  for (const some of placed.values()) {
    const { owner } = some[0]!;
    const place = where === undefined ? "" : ` on ${where(some[0]!)}`;
    const keys = some.map((copy) => withoutControls(copy.key)).join(" ");
    yield `${count(some.length)} copied${place}, billed to ${withoutControls(owner)}  ${output.style("dim", keys)}\n`;
  }
}
