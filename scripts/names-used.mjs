/** The names that a piece of a bundle uses or declares, and where. None of them is hidden by another of the same name: esbuild gives each its own. */

const FUNCTION = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;

/** `isNow`: as soon as the piece is evaluated, not in a function of it. */
export function namesUsed(node) {
  const uses = [];
  collect(node, true, uses);
  return uses;
}

function collect(node, isNow, uses) {
  if (node.type === "Identifier")
    uses.push({ name: node.name, start: node.start, end: node.end, isShorthand: false, isNow });
  else if (node.type === "Property" && node.shorthand) collectShorthand(node.value, isNow, uses);
  else if (node.type !== "MetaProperty") {
    for (const [key, value] of Object.entries(node)) {
      if (!isMereName(node, key)) collectEach(value, isNow && !isForLater(node, key), uses);
    }
  }
}

function collectEach(value, isNow, uses) {
  if (Array.isArray(value)) for (const one of value) collectEach(one, isNow, uses);
  else if (typeof value?.type === "string") collect(value, isNow, uses);
}

/** `{ name }`, or in a pattern `{ name = value }`. */
function collectShorthand(value, isNow, uses) {
  const { name, start, end } = value.left ?? value;
  uses.push({ name, start, end, isShorthand: true, isNow });
  if (value.right) collect(value.right, isNow, uses);
}

/** Of a property, or of a place to jump to. */
function isMereName(node, key) {
  if (key === "label") return true;
  return !node.computed && (key === "key" || (key === "property" && node.type === "MemberExpression"));
}

/** What is in a function, and what a class gives each of its objects. */
function isForLater(node, key) {
  return FUNCTION.test(node.type) || (node.type === "PropertyDefinition" && !node.static && key === "value");
}
