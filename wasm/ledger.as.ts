/**
 * Settles, prices and sums billed requests that lie in columns. The rules are those of src/sessions/cost: `ledger.ts`
 * applies them to single requests, and says more about each; this is for hundreds of thousands of them at once. JavaScript's
 * side is src/sessions/cost/row-ledger.ts.
 *
 * AssemblyScript; `node scripts/gen-wasm.mjs` compiles it into src/sessions/cost/row-ledger.gen.ts.
 */
export { allocate, forget, keep, setColumn, start } from "./ledger/columns";
export { costText, pieceRoom, setPiece, startTexts } from "./ledger/cost-text";
export { own } from "./ledger/owners";
export { addPrice, priceRoom } from "./ledger/prices";
export { modelCount, nextUnsound, sum, toldNanoUsd } from "./ledger/sessions";
export { add, packed, place, spendingCount } from "./ledger/spending";
