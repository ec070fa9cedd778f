/**
 * Has the modules of a bundle evaluated when something of theirs is first used, not when they are imported: a command imports
 * hundreds, and uses half of them. esbuild puts each module that may be evaluated later into a function, but its functions and
 * variables beside that, where V8 has to load all of them at once. Here they are put inside. Only what other modules use
 * stays outside, and is looked at before it is used: `foo` becomes `(foo ?? init_foo(), foo)`.
 *
 * A module that does more than declare something is still evaluated together with those that import it, and so is what a
 * module needs for being evaluated itself.
 */
import { parseAst } from "vite";
import { namesUsed } from "./names-used.mjs";

/** As esbuild has a module evaluated, but without its path, which nobody asks for. */
const ONCE = `var __once = (evaluate, failure) => () => {
  if (failure) throw failure[0];
  try { evaluate?.(evaluate = void 0); } catch (error) { throw failure = [error], error; }
};`;

/** Of the text of a bundle that is not minified; `paths` are those of its modules, as they stand in its comments. */
export function evaluatedAtFirstUse(text, paths) {
  const modules = modulesOf(text, new Set(paths));
  const inits = new Map(modules.filter(({ init }) => init).map((module) => [module.init, module]));
  const owners = new Map([...inits.values()].flatMap((module) => module.names.map((name) => [name, module])));
  const shared = new Set();
  const edits = [];
  for (const module of modules) {
    const uses = module.uses.filter(({ name }) => owners.has(name) && owners.get(name) !== module);
    const active = module.imported.map((init) => inits.get(init)).filter(({ isActive }) => isActive);
    module.needed = new Set([...active, ...uses.filter(({ isNow }) => isNow).map(({ name }) => owners.get(name))]);
    for (const use of uses) {
      shared.add(use.name);
      const { init } = owners.get(use.name);
      if (!module.needed.has(owners.get(use.name)) && !follows(`${init}(), `, use, text))
        edits.push(lookedAt(use, init));
    }
  }
  const written = writer(text, edits);
  return [
    ONCE,
    ...modules.map((module) => (module.init ? inFunction(module, shared, written) : flat(module, written))),
  ].join("\n");
}

/** What stands at the top of the file: what esbuild itself needs, and the modules. */
function modulesOf(text, paths) {
  const pieces = [[]];
  let end = 0;
  for (const node of parseAst(text).body) {
    const before = text.slice(end, node.start).split("\n");
    if (before.some((line) => line.startsWith("// ") && paths.has(line.slice(3)))) pieces.push([]);
    end = node.end;
    pieces.at(-1).push(node);
  }
  return pieces.map(moduleOf);
}

/**
 * `init` is the name of the function that evaluates it, where there is one; then `body` is what that does, and `names` are declared
 * beside it. `imported` are other modules' `init`s.
 */
function moduleOf(nodes) {
  const declared = nodes.flatMap((node) => node.declarations ?? (node.type === "FunctionDeclaration" ? [node] : []));
  const evaluated = declared.find(({ init }) => init?.callee?.name === "__esm");
  const top = nodes.filter((node) => !node.declarations?.includes(evaluated));
  const body = evaluated?.init.arguments[0].properties[0].value.body.body.filter(({ directive }) => !directive) ?? [];
  const imported = [...top, ...body].map(initCalled).filter((init) => init !== undefined);
  return {
    init: evaluated?.id.name,
    top: top.filter((node) => initCalled(node) === undefined),
    body: body.filter((node) => initCalled(node) === undefined),
    names: declared.filter((one) => one !== evaluated).map(({ id }) => id.name),
    isActive: body.some((node) => !isDeclaring(node) && initCalled(node) === undefined),
    imported,
    uses: [...top, ...body].flatMap(namesUsed),
  };
}

/** The name in `init_foo();`. */
function initCalled({ type, expression }) {
  const name =
    type === "ExpressionStatement" && expression.type === "CallExpression" ? expression.callee.name : undefined;
  return name?.startsWith("init_") && expression.arguments.length === 0 ? name : undefined;
}

/** Sets variables of its own. */
function isDeclaring({ type, expression }) {
  return (
    type === "ExpressionStatement" &&
    expression.type === "AssignmentExpression" &&
    expression.left.type !== "MemberExpression"
  );
}

function follows(before, { start }, text) {
  return text.slice(start - before.length, start) === before;
}

function lookedAt({ name, start, end, isShorthand }, init) {
  const looked = `(${name} ?? ${init}(), ${name})`;
  return { start, end, text: isShorthand ? `${name}: ${looked}` : looked };
}

/** Gives the text of a node, with what is to be changed in it. */
function writer(text, edits) {
  const sorted = edits.toSorted((one, other) => one.start - other.start);
  return ({ start, end }) => {
    let written = "";
    let at = start;
    for (const edit of sorted) {
      if (edit.start < start || edit.end > end) continue;
      written += text.slice(at, edit.start) + edit.text;
      at = edit.end;
    }
    return written + text.slice(at, end);
  };
}

function flat({ needed, top }, written) {
  return [...initsOf(needed), ...top.map(written)].join("\n");
}

function initsOf(modules) {
  return [...modules].map(({ init }) => `${init}();`);
}

function inFunction({ init, needed, top, body, names }, shared, written) {
  const [outside, inside] = [names.filter((name) => shared.has(name)), names.filter((name) => !shared.has(name))];
  return `${variables(outside)}
    var ${init} = __once(() => {
      "use strict";
      ${variables(inside)}
      ${top.map((node) => set(node, shared, written)).join("\n")}
      ${initsOf(needed).join("\n")}
      ${body.map(written).join("\n")}
    });`;
}

function variables(names) {
  return names.length === 0 ? "" : `var ${names.join(", ")};`;
}

/** What was declared, for variables that are declared already. */
function set(node, shared, written) {
  if (node.type === "VariableDeclaration") {
    const initial = node.declarations.filter(({ init }) => init);
    return initial.map(({ id, init }) => `${id.name} = ${written(init)};`).join("\n");
  }
  if (node.type !== "FunctionDeclaration" || !shared.has(node.id.name)) return written(node);
  const { start, end, id } = node;
  return `${id.name} = ${written({ start, end: id.start })}${written({ start: id.end, end })};`;
}
