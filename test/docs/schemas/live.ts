/** What commands about live sessions print with `--json`. Objects of the daemon, of runners and of status files keep their spelling. */
import * as z from "zod";
import { Receipt } from "../../../src/protocol/daemon-api.ts";
import * as reviews from "../../../src/protocol/review.ts";
import { OfferedOption, Status } from "../../../src/protocol/status.ts";
import { PROMPT_RECEIPTS, PROMPT_STATES } from "../../../src/core/queue.ts";
import { STATES, SOURCES } from "../../../src/core/state.ts";
import { CONFLICT_LEVELS } from "../../../src/core/edit-conflict.ts";
import { FINISH_WAYS } from "../../../src/changes/worktree/finish-worktree.ts";
import { Cost, Started, Time } from "./past.ts";

const Place = z.enum(["amux", "tmux"]);
const Metrics = z.strictObject({
  started: z.number(),
  total_seconds: z.number(),
  working_seconds: z.number(),
  waiting_seconds: z.number(),
  tools: z.record(z.string(), z.number()),
  recent_tools: z.array(z.string()),
});
/** As in a status file. */
const Git = z.strictObject({
  branch: z.string().optional(),
  dirty: z.boolean().optional(),
  ahead: z.int().optional(),
  behind: z.int().optional(),
  last_commit: z.string().optional(),
  remote: z.string().optional(),
  remote_url: z.string().optional(),
  pr_num: z.int().optional(),
  fetched_at: z.int().optional(),
});
const Member = z.looseObject({ name: z.string(), status: z.string(), timestamp: z.number() });

/** `amux ls`: every session has the same fields; `""` is no name, null an unknown exit code. */
const Listed = z.strictObject({
  ref: z.string(),
  id: z.string(),
  place: Place,
  peer: z.string().optional(),
  unreachable: z.boolean().optional(),
  kind: z.string(),
  unified_id: z.string().optional(),
  alive: z.boolean(),
  lost: z.boolean(),
  state: z.string(),
  since: Time.optional(),
  title: z.string(),
  command: z.array(z.string()),
  cwd: z.string(),
  created_at: Time,
  started_at: Time.optional(),
  exited_at: Time.optional(),
  exit_code: z.int().nullable(),
  killed: z.literal(true).optional(),
  status: z.optional(z.nullable(Status)),
  message: z.string().optional(),
  unread: z.boolean(),
  slug: z.string().optional(),
  name: z.string(),
  queued: z.int().optional(),
  queue_held: z.int().optional(),
  resumable: z.boolean().optional(),
  stale: z.boolean().optional(),
  conflicts: z
    .array(
      z.strictObject({ with: z.string(), level: z.enum(CONFLICT_LEVELS), files: z.array(z.string()), count: z.int() }),
    )
    .optional(),
  pid: z.int().optional(),
});

const QueuedPrompt = {
  id: z.string(),
  text: z.string(),
  when: z.string(),
  state: z.enum(PROMPT_STATES),
  paused: z.literal(true).optional(),
  created_at: Time,
  due_at: Time.optional(),
  note: z.string().optional(),
  delivered_at: Time.optional(),
  receipt: z.enum(PROMPT_RECEIPTS).optional(),
};

const Prompt = z.strictObject({ session: z.string(), ...QueuedPrompt });
const Queue = z.strictObject({
  session: z.string(),
  paused: z.boolean(),
  items: z.array(z.strictObject(QueuedPrompt)),
});
const ScheduledPrompt = z.strictObject({
  ...QueuedPrompt,
  agent: z.string(),
  cwd: z.string(),
  session: z.string().optional(),
});

const Agent = z.strictObject({
  agent: z.string(),
  isMain: z.boolean(),
  state: z.string(),
  label: z.string().optional(),
  message: z.string().optional(),
  since: Time,
  source: z.enum(SOURCES).optional(),
  event: z.string().optional(),
});
const View = {
  ref: z.string(),
  name: z.string(),
  slug: z.string().optional(),
  place: Place,
  peer: z.string().optional(),
  cwd: z.string(),
  state: z.string(),
  agent: z.string(),
  message: z.string().optional(),
  since: Time,
  updatedAt: Time,
  status: z.nullable(Status),
  agents: z.array(Agent),
  team: z.array(Member).optional(),
  teamName: z.string().optional(),
  unread: z.boolean().optional(),
  tmux: z.strictObject({ socket: z.string(), pane: z.string().optional() }).optional(),
  git: Git.optional(),
  metrics: Metrics.optional(),
  tokens: z.strictObject({ input: z.int(), output: z.int(), total: z.int() }).optional(),
  currentPbi: z.string().optional(),
  currentPbiTitle: z.string().optional(),
  currentPbiSource: z.string().optional(),
  pid: z.int().optional(),
};

/** Times are milliseconds since the epoch. */
const Report = {
  state: z.enum(STATES),
  label: z.string().optional(),
  message: z.string().optional(),
  source: z.enum(SOURCES),
  at: z.number(),
  event: z.string().optional(),
  session: z.string().optional(),
  pid: z.int().optional(),
  scope: z.string().optional(),
  ask: z.string().optional(),
  begins: z.boolean().optional(),
  weak: z.boolean().optional(),
  could_be: z.array(z.enum(STATES)).optional(),
  held: z.boolean().optional(),
  options: z.array(OfferedOption).optional(),
  several: z.boolean().optional(),
};
const Evidence = z.strictObject({
  agent: z.string(),
  session: z.string().optional(),
  pid: z.int().optional(),
  said: z.partialRecord(z.enum(SOURCES), z.strictObject({ ...Report, since: z.number() })),
  asks: z.array(z.strictObject({ ...Report, doubted_at: z.number().optional() })),
  log: z.array(z.strictObject({ ...Report, ignored: z.string().optional() })),
  overruled: z.array(z.looseObject({ state: z.enum(STATES) })),
});

const Ids = z.array(z.strictObject({ id: z.string(), peer: z.string().optional() }));
const Delivered = { session: z.string(), ...Receipt.shape };
const StatusFile = z.looseObject({
  tmux_session: z.string(),
  status: z.string(),
  cwd: z.string(),
  timestamp: z.number(),
});

const Losses = z.strictObject({
  uncommitted: z.int(),
  unmerged: z.int(),
  unpushed: z.int().optional(),
  submodules: z.int(),
  ignored: z.array(z.string()),
  underWay: z.string().optional(),
  into: z.string().optional(),
});
const RemovedWorktree = {
  path: z.string(),
  branch: z.string().optional(),
  head: z.string().optional(),
  isBranchDeleted: z.boolean(),
  lost: Losses,
};
const Worktree = z.strictObject({
  path: z.string(),
  isMain: z.boolean(),
  branch: z.string().optional(),
  head: z.string().optional(),
  from: z.string().optional(),
  ahead: z.int().optional(),
  behind: z.int().optional(),
  isMerged: z.boolean().optional(),
  uncommitted: z.int().optional(),
  locked: z.string().optional(),
  isGone: z.boolean(),
  sessions: z.array(
    z.strictObject({
      ref: z.string(),
      name: z.string(),
      cwd: z.string(),
      alive: z.boolean(),
      unifiedId: z.string().optional(),
    }),
  ),
});
const Comment = z.strictObject(reviews.ReviewComment.shape);
const Review = z.strictObject({ ...reviews.Review.shape, comments: z.array(Comment) });

export const LIVE_SCHEMAS: Record<string, z.ZodType> = {
  review: Review,
  "review list": z.array(Review),
  "review add": Comment,
  "review edit": Comment,
  "review resolve": Review,
  "review remove": Review,
  "review send": z.strictObject(reviews.ReviewSent.shape),
  queue: z.union([Prompt, ScheduledPrompt]),
  cast: z.strictObject({
    id: z.string(),
    path: z.string(),
    seconds: z.number(),
    events: z.int().min(0),
    redacted: z.int().min(0).optional(),
  }),
  "queue list": z.strictObject({
    sessions: z.array(Queue),
    scheduled: z.array(ScheduledPrompt),
    problems: z.array(z.string()).optional(),
  }),
  "queue edit": z.union([Prompt, ScheduledPrompt]),
  "queue remove": z.array(z.strictObject({ id: z.string(), removed: z.literal(true) })),
  "queue pause": z.union([Prompt, ScheduledPrompt, Queue]),
  "queue resume": z.union([Prompt, ScheduledPrompt, Queue]),
  ls: z.array(Listed),
  run: Started,
  "pr create": z.strictObject({
    session: z.string(),
    directory: z.string(),
    branch: z.string(),
    remote: z.string(),
    base: z.string().optional(),
    commits: z.int().optional(),
    uncommitted: z.int(),
    title: z.string(),
    body: z.string(),
    redacted: z.int(),
    url: z.string().optional(),
  }),
  "worktree list": z.strictObject({ root: z.string(), isShallow: z.boolean(), worktrees: z.array(Worktree) }),
  "worktree finish": z.strictObject({
    ...RemovedWorktree,
    into: z.string(),
    way: z.enum(FINISH_WAYS),
    commits: z.int(),
  }),
  "worktree remove": z.strictObject(RemovedWorktree),
  resume: Started,
  restart: Started,
  status: z.union([z.array(z.strictObject(View)), z.strictObject(View)]),
  "status set": z.union([
    z.strictObject({
      id: z.string(),
      state: z.string(),
      current_pbi: z.string().optional(),
      current_pbi_title: z.string().optional(),
    }),
    StatusFile,
  ]),
  "status prune": z.array(z.strictObject({ name: z.string(), evidence: z.string() })),
  details: z.strictObject({
    ...View,
    cost: Cost.optional(),
    resource: z
      .strictObject({
        processes: z.int(),
        rssBytes: z.number(),
        cpuSeconds: z.number(),
        cpuPercent: z.number().optional(),
      })
      .optional(),
  }),
  explain: z.strictObject({ ...View, evidence: z.array(Evidence) }),
  attention: z.array(
    z.strictObject({
      ref: z.string(),
      name: z.string(),
      place: Place,
      agent: z.string(),
      member: z.string().optional(),
      reason: z.enum(["permission", "question", "error", "limit", "budget", "finished", "queue", "conflict"]),
      sessions: z.array(z.string()).optional(),
      resets_at: Time.optional(),
      text: z.string().optional(),
      since: Time,
      cwd: z.string(),
      source: z.string().optional(),
      options: z.array(OfferedOption).optional(),
      several: z.boolean().optional(),
      asked: z.string().optional(),
    }),
  ),
  answer: z.strictObject({ ...Delivered, answer: z.string() }),
  send: z.strictObject(Delivered),
  snooze: z.union([
    z.array(z.strictObject({ session: z.string(), until: Time })),
    z.strictObject({ session: z.string(), until: Time.optional() }),
  ]),
  kill: Ids,
  dismiss: Ids,
  rename: z.strictObject({ id: z.string(), name: z.string() }),
  tail: z.array(z.string()),
  capture: z.array(z.string()),
};
