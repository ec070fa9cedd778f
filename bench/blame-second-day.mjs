/**
 * The second scripted day, in Python, Markdown and a batch file: moved functions, reverts, worktrees that are merged with a conflict, a
 * cherry-pick and a formatter that breaks lines. The rules of the evidence were not made with it.
 */
import { dirname, join } from "node:path";
import { mkdirSync } from "node:fs";
import { PERSON, Day } from "./blame-repository.mjs";

const [MODELS, VIEWS, TASKS, HELPERS] = ["models", "views", "tasks", "helpers"].map((name) => `app/${name}.py`);
const TESTS = "tests/test_models.py";
const GUIDE = "docs/guide.md";
const DEPLOY = "scripts/deploy.bat";

/** Python as people write it: half of its lines are in every other function too. */
function load(name, what = name) {
  return [
    `def load_${name}(session, ids):`,
    `    """Return the ${what} with these ids."""`,
    "    if not ids:",
    "        return []",
    `    query = session.query(${name.toUpperCase()}).filter_by(deleted=False)`,
    "    result = query.filter(id_in(ids)).all()",
    `    logger.info("loaded %d ${what}", len(result))`,
    "    return result",
    "",
    "",
  ];
}

function section(title, ...paragraphs) {
  return [`## ${title}`, "", ...paragraphs.flatMap((text) => [text, ""])];
}

function place(day, path, text) {
  const at = day.texts(path).indexOf(text);
  if (at === -1) throw new Error(`${path} has no line "${text}".`);
  return at;
}

export function makeSecondDay(directory) {
  const day = new Day(directory);
  day.windows.add(DEPLOY);
  day.type(MODELS, 0, 0, [
    "import logging",
    "",
    "logger = logging.getLogger(__name__)",
    "",
    "",
    ...load("user", "users"),
  ]);
  day.type(MODELS, 15, 0, [...load("order", "orders"), ...load("item", "items")]);
  day.type(VIEWS, 0, 0, [
    "from app.models import load_user",
    "",
    "",
    ...load("page", "pages"),
    ...load("menu", "menus"),
  ]);
  day.type(TASKS, 0, 0, ["import time", "", "", ...load("job", "jobs"), ...load("mail", "mails")]);
  day.type(GUIDE, 0, 0, ["# Guide", "", ...section("Install", "Run `pip install shop` in a new environment.")]);
  day.type(GUIDE, 6, 0, section("Use", "Start the server and open the page.", "- `shop run` starts it"));
  day.type(DEPLOY, 0, 0, [
    "@echo off",
    "set TARGET=production",
    "call build.bat",
    "if errorlevel 1 exit /b 1",
    "echo done",
  ]);
  day.commit("Import the application");

  const [pi, copilot] = ["pi", "copilot"].map((agent) => day.session(agent));
  day.edit(pi, MODELS, 15, 0, load("coupon", "coupons"));
  day.edit(pi, MODELS, place(day, MODELS, '    logger.info("loaded %d orders", len(result))'), 1, [
    '    logger.debug("found %d orders of %d", len(result), len(ids))',
  ]);
  day.edit(
    copilot,
    GUIDE,
    6,
    0,
    section("Configure", "Set `SHOP_SECRET` before the first start.", "- `SHOP_PORT` is 8000"),
  );
  day.editWithin(
    copilot,
    GUIDE,
    place(day, GUIDE, "Start the server and open the page."),
    "the page",
    "http://localhost:8000",
  );
  day.edit(copilot, DEPLOY, 2, 1, ["call build.bat --release", "call test.bat --all --quiet"]);
  // By hand, between the sessions' lines.
  day.type(DEPLOY, 3, 0, ["copy /y settings.ini dist\\settings.ini"]);
  day.type(GUIDE, place(day, GUIDE, "- `SHOP_PORT` is 8000"), 0, ["- `SHOP_HOST` is localhost"]);
  day.commit("Work on models, guide and deployment");

  // What an agent only said in its answer is typed by a person.
  day.type(VIEWS, 3, 0, load("theme", "themes"));
  day.create(pi, TESTS, [
    "from app.models import load_coupon",
    "",
    "",
    "def test_no_coupons(session):",
    "    assert load_coupon(session, []) == []",
  ]);
  day.type(TESTS, 5, 0, ["", "", "def test_unknown_coupon(session):", "    assert load_coupon(session, [0]) == []"]);
  // A person corrects a word in a session's line before it is committed.
  day.edit(copilot, TASKS, 3, 0, load("report", "reprots"));
  const typo = place(day, TASKS, '    """Return the reprots with these ids."""');
  day.type(TASKS, typo, 1, ['    """Return the reports with these ids."""']);
  // Two sessions change one line, one after the other.
  const loaded = place(day, TASKS, '    logger.info("loaded %d jobs", len(result))');
  day.edit(pi, TASKS, loaded, 1, ['    logger.warning("loaded %d jobs at once", len(result))']);
  day.edit(copilot, TASKS, loaded, 1, ['    logger.warning("loaded %d jobs in one go", len(result))']);
  day.commit("Add tests and reports");

  // A person moves a session's function to a new file; a session moves a person's function there.
  const coupon = place(day, MODELS, "def load_coupon(session, ids):");
  const moved = day.files.get(MODELS).slice(coupon, coupon + 10);
  day.type(MODELS, coupon, 10, []);
  day.type(HELPERS, 0, 0, moved);
  const menu = place(day, VIEWS, "def load_menu(session, ids):");
  const menuLines = day.files.get(VIEWS).slice(menu, menu + 10);
  day.edit(copilot, VIEWS, menu, 10, [], 0);
  day.edit(
    copilot,
    HELPERS,
    10,
    0,
    menuLines.map(({ text, by }) => ({ text, by: copilot.id, was: by })),
  );
  day.commit("Move functions to helpers");
  // A person moves a session's function within its file, before it is committed.
  day.edit(pi, MODELS, 5, 0, load("brand", "brands"));
  const brand = day.files.get(MODELS).slice(5, 15);
  day.type(MODELS, 5, 10, []);
  day.type(MODELS, day.texts(MODELS).length, 0, brand);
  day.commit("Add brands");

  // Lines are taken away by a session and by a person, side by side.
  const jobs = place(day, TASKS, "def load_job(session, ids):");
  day.edit(pi, TASKS, jobs, 4, ["def load_job(session, ids, limit=100):"]);
  day.type(TASKS, place(day, TASKS, '    logger.warning("loaded %d jobs in one go", len(result))'), 1, []);
  day.commit("Limit jobs");

  // A session's commit is reverted, and the revert later too.
  const before = [...day.files.get(TASKS)];
  const mail = place(day, TASKS, '    """Return the mails with these ids."""');
  day.edit(copilot, TASKS, mail, 1, [
    '    """Return the mails, the newest first."""',
    "    time.sleep(settings.MAIL_DELAY)",
  ]);
  day.edit(copilot, TASKS, place(day, TASKS, '    logger.info("loaded %d mails", len(result))'), 1, []);
  day.commit("Order mails");
  const after = day.files
    .get(TASKS)
    .map((line) => (line.by === copilot.id ? { ...line, by: PERSON, was: line.by } : line));
  revert(day, "Order mails", before);
  day.edit(pi, GUIDE, 2, 0, section("About", "The shop sells what its owner puts into it."));
  day.commit("Say what it is");
  revert(day, 'Revert "Order mails"', after);

  worktrees(day);

  // A branch, of which one commit is picked.
  day.git("checkout", "-q", "-b", "hotfix");
  const main = new Map(day.files);
  const third = day.session("pi");
  day.edit(
    third,
    GUIDE,
    place(day, GUIDE, "## Use"),
    0,
    section("Upgrade", "Stop the server, upgrade, and start it again."),
  );
  day.commit("Explain upgrades");
  day.files = main;
  day.git("checkout", "-q", "-B", "picked", "main");
  day.edit(third, DEPLOY, 4, 0, ["call migrate.bat --database shop"]);
  day.type(DEPLOY, 1, 1, ["set TARGET=staging"]);
  day.commit("Migrate on deployment");
  day.git("checkout", "-q", "main");
  day.pass();
  day.git("cherry-pick", "picked");

  // A formatter breaks long lines and changes quotes.
  const fourth = day.session("copilot");
  day.edit(fourth, HELPERS, day.texts(HELPERS).length, 0, load("invoice", "invoices"));
  day.type(HELPERS, day.texts(HELPERS).length - 2, 0, [
    "",
    "",
    "def typed_by_hand(session, ids):",
    "    return [load_invoice(session, [one])[0] for one in ids]",
  ]);
  day.reformat(HELPERS, ({ text, ...who }) => {
    const [, indent, head, args] = /^( +)(.*[\w.]\()(.{24,})\)$/.exec(text) ?? [];
    if (head === undefined) return [{ text: text.replaceAll('"', "'"), ...who }];
    return [`${indent}${head}`, `${indent}    ${args}`, `${indent})`].map((one) => ({
      text: one.replaceAll('"', "'"),
      ...who,
    }));
  });
  day.commit("Format helpers");

  // A person copies a list item of a session and changes a word; both are not committed.
  day.edit(fourth, GUIDE, place(day, GUIDE, "- `shop run` starts it"), 0, [
    "- `shop check --all` looks for mistakes in the settings",
  ]);
  day.type(GUIDE, place(day, GUIDE, "- `shop run` starts it"), 0, [
    "- `shop check --one` looks for mistakes in the settings",
  ]);
  day.overwrite(fourth, TESTS, (lines) => [
    ...lines,
    "",
    "",
    "def test_all_coupons(session):",
    "    assert len(load_coupon(session, ALL)) == 3",
  ]);
  return day;
}

/** A person reverts a commit with git: the file is as given. */
function revert(day, subject, lines) {
  day.pass();
  const commit = day.git("log", "-1", "--format=%H", "--fixed-strings", `--grep=${subject}`).trim();
  day.restore(TASKS, lines);
  day.git("checkout", "-q", "--", TASKS);
  day.git("revert", "--no-edit", commit);
  const made = day.git("log", "-1", "--format=%s").trim();
  day.committed(made);
  if (day.git("show", `HEAD:${TASKS}`) !== `${day.texts(TASKS).join("\n")}\n`) throw new Error(`${made}: not as told`);
  day.pass();
}

/** Two sessions work in worktrees on the same lines; both are merged, and a person resolves the conflict. */
function worktrees(day) {
  mkdirSync(join(dirname(day.repo), "shop.worktrees"));
  const result = '    logger.info("loaded %d pages", len(result))';
  const main = day.enter(day.worktree("shop.worktrees/cache", "cache"));
  const one = day.session("pi");
  day.edit(one, VIEWS, place(day, VIEWS, result), 1, [
    '    cache.put("pages", result, seconds=PAGE_SECONDS)',
    '    logger.info("cached %d pages", len(result))',
  ]);
  day.edit(one, VIEWS, 1, 0, ["from app.cache import cache, PAGE_SECONDS"]);
  day.commit("Cache pages");
  const cached = day.enter(main);

  const other = day.enter(day.worktree("shop.worktrees/limit", "limit"));
  const two = day.session("copilot");
  day.edit(two, VIEWS, place(day, VIEWS, result), 1, [
    "    result = result[:settings.MAX_PAGES]",
    '    logger.info("limited to %d pages", len(result))',
  ]);
  day.type(VIEWS, day.texts(VIEWS).length, 0, ["# The order of functions is that of the menu.", ""]);
  day.commit("Limit pages");
  const limited = day.enter(other);

  day.pass();
  day.git("merge", "-q", "--ff-only", "cache");
  day.files = cached.files;
  day.pass();
  day.conflict("merge", "-q", "limit");
  const lineOf = (files, start) => files.get(VIEWS).find(({ text }) => text.startsWith(start));
  const at = day.files.get(VIEWS).findIndex(({ text }) => text.startsWith("    cache.put("));
  const lines = [...day.files.get(VIEWS)];
  lines.splice(at, 2, lineOf(limited.files, "    result = result[:"), lines[at], {
    text: '    logger.info("cached and limited to %d pages", len(result))',
    by: PERSON,
  });
  day.restore(VIEWS, [...lines, ...limited.files.get(VIEWS).slice(-2)]);
  day.commit("Merge the limit");
  day.git("worktree", "remove", "--force", limited.repo);
}
