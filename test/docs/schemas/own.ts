/** What commands about agents, settings, the daemon, other machines and the archive print with `--json`. */
import * as z from "zod";
import { Health } from "../../../src/protocol/daemon-api.ts";
import { AddedChannel, Channel } from "../../../src/protocol/notify.ts";
import { PeerStatus } from "../../../src/protocol/peers.ts";
import { ShareLink } from "../../../src/protocol/share-links.ts";
import { PROJECT_EVENTS } from "../../../src/status/projects/project-events.ts";
import { BudgetState, Time } from "./past.ts";

const Count = z.int().min(0);
const Texts = z.array(z.string());
const Counts = z.record(z.string(), Count);

/** A setting's value may be anything its field takes. */
const Setting = z.strictObject({ key: z.string(), value: z.unknown() });
const Profile = z.looseObject({ agent: z.string().optional(), model: z.string().optional() });
const HookChange = z.strictObject({
  agent: z.string(),
  path: z.string(),
  changed: z.boolean().optional(),
  error: z.string().optional(),
});
const Trusted = {
  directory: z.string(),
  use: z.enum(["tasks", "worktree", "plugin"]).optional(),
  digest: z.string().optional(),
  runs: Texts,
  since: Time.optional(),
};
const Schedule = z.strictObject({
  everyMs: Count,
  options: Texts,
  last: z.strictObject({ at: Time, ok: z.boolean(), said: z.string() }).nullable(),
});
const Withheld = z.array(z.strictObject({ unifiedId: z.string(), reason: z.string() }));
const Pbi = z.strictObject({ id: z.string(), title: z.string(), source: z.string() });

const Share = { percent: Count };
const Told = { window: z.string(), used_percent: z.number(), resets_at: Time.optional() };

const Span = { per: z.string(), project: z.string().optional() };

export const OWN_SCHEMAS: Record<string, z.ZodType> = {
  "budget set": z.strictObject({ ...Span, amount: z.number(), warn_percent: Count, stops: z.boolean() }),
  "budget list": z.array(BudgetState),
  "budget remove": z.strictObject({ ...Span, removed: z.literal(true) }),
  statusline: z.strictObject({
    session: z.string().optional(),
    cwd: z.string().optional(),
    model: z.string().optional(),
    branch: z.string().optional(),
    context_used_percent: z.number().optional(),
    context_size_tokens: z.number().optional(),
    cost_usd: z.number().optional(),
    limits: z.array(z.strictObject(Told)),
  }),
  limits: z.strictObject({
    limits: z.array(
      z.strictObject({
        agent: z.string(),
        account: z.string().optional(),
        plan: z.string().optional(),
        ...Told,
        minutes: z.number().optional(),
        as_of: Time,
        is_reset: z.boolean(),
        pace: z.number().optional(),
        forecast: z.strictObject({ percent: z.array(z.number()), full_at: z.array(Time).optional() }).optional(),
        used_by: z.array(
          z.strictObject({
            project: z.string(),
            ...Share,
            sessions: z.array(z.strictObject({ id: z.string(), title: z.string().optional(), ...Share })),
          }),
        ),
      }),
    ),
    refusals: z.array(
      z.strictObject({
        agent: z.string(),
        account: z.string().optional(),
        kind: z.string().optional(),
        at: Time,
        resets_at: Time.optional(),
        session: z.string().optional(),
      }),
    ),
    unknown: z.array(z.strictObject({ agent: z.string(), hint: z.string() })),
  }),
  agents: z.array(
    z.strictObject({
      agent: z.string(),
      displayName: z.string(),
      experimental: z.boolean(),
      installed: z.boolean(),
      cliPath: z.string().nullable(),
      version: z.string().nullable(),
      authState: z
        .strictObject({
          status: z.string(),
          method: z.string(),
          details: z.string().optional(),
          guidance: z.string(),
        })
        .nullable(),
      capabilities: z.strictObject({
        canRun: z.boolean(),
        canResume: z.boolean(),
        canFork: z.boolean(),
        streamsText: z.boolean(),
        asksForApproval: z.boolean(),
        sessionPersistence: z.string(),
        runOptions: Texts,
      }),
    }),
  ),
  models: z.array(
    z.strictObject({
      id: z.string(),
      vendor: z.string(),
      rates: z.strictObject({
        input: z.number(),
        output: z.number(),
        cacheRead: z.number().optional(),
        cacheWrite: z.number().optional(),
        cacheWrite1h: z.number().optional(),
        webSearch: z.number().optional(),
      }),
      multipliers: z.record(z.string(), z.number()),
      longContextAbove: z.number().optional(),
    }),
  ),
  doctor: z.array(
    z.strictObject({
      agent: z.string(),
      displayName: z.string(),
      installed: z.boolean(),
      program: z.string().optional(),
      version: z.string().optional(),
      stores: z.array(z.strictObject({ path: z.string(), exists: z.boolean() })),
      sessions: Count,
      parsed: Count,
      empty: Count,
      bytes: Count,
      skipped: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
      skippedCount: Count,
      damagedLines: Count,
      damaged: Counts,
      unknownRecordTypes: Counts,
      requests: Counts,
      duplicates: Count,
    }),
  ),
  "config list": z.array(z.strictObject({ ...Setting.shape, source: z.enum(["default", "global", "project"]) })),
  "config get": Setting,
  "config set": Setting,
  "profiles list": z.array(
    z.strictObject({
      name: z.string(),
      scope: z.enum(["global", "project"]),
      hasGlobalOverride: z.boolean(),
      agent: z.string().optional(),
      model: z.string().optional(),
      corrupt: z.string().optional(),
    }),
  ),
  "profiles show": Profile,
  "profiles set": Profile,
  "profiles delete": z.strictObject({ name: z.string(), scope: z.string(), deleted: z.literal(true) }),
  "hooks status": z.array(
    z.strictObject({
      agent: z.string(),
      state: z.string(),
      path: z.string().optional(),
      installed: z.boolean().optional(),
      version: z.string().optional(),
      problem: z.string().optional(),
      silentAbout: z.string().optional(),
      hidden: z.string().optional(),
      why: z.string().optional(),
    }),
  ),
  "hooks install": z.array(HookChange),
  "hooks uninstall": z.array(HookChange),
  "skill install": z.array(HookChange),
  "skill uninstall": z.array(HookChange),
  "skill status": z.array(
    z.strictObject({
      agent: z.string(),
      state: z.enum(["absent", "installed", "outdated", "edited"]),
      path: z.string(),
    }),
  ),
  projects: z.strictObject({
    projects: z.array(
      z.strictObject({
        name: z.string(),
        dir: z.string(),
        head_sha: z.string(),
        branch: z.string(),
        commits_ahead: Count,
        dirty: z.boolean(),
        current_pbi: Pbi.optional(),
        tasks: z.strictObject({ done: Count, in_progress: Count, total: Count }),
        status: z.string(),
        last_activity: z.number(),
        session_count: Count,
        pr_num: z.int().optional(),
        untrusted: z.string().optional(),
      }),
    ),
    events: z.array(
      z.strictObject({
        type: z.enum(PROJECT_EVENTS),
        timestamp: z.number(),
        project: z.string(),
        dir: z.string(),
        detail: z.string(),
      }),
    ),
  }),
  tasks: z.strictObject({
    project: z.string(),
    provider: z.string(),
    current: Pbi.nullable(),
    current_pbi_id: z.string().optional(),
    current_pbi_title: z.string().optional(),
    groups: z.array(
      z.strictObject({
        id: z.string(),
        title: z.string(),
        status: z.string().optional(),
        url: z.string().optional(),
        is_current: z.boolean().optional(),
        tasks: z.array(
          z.strictObject({
            id: z.string(),
            title: z.string(),
            status: z.string(),
            assignee: z.string().optional(),
            labels: Texts.optional(),
            priority: z.number().optional(),
            url: z.string().optional(),
            created: z.string().optional(),
            updated: z.string().optional(),
          }),
        ),
      }),
    ),
  }),
  trust: z.strictObject({ ...Trusted, also: z.array(z.strictObject(Trusted)).optional() }),
  "trust list": z.array(z.strictObject(Trusted)),
  "trust remove": z.strictObject({ directory: z.string(), trusted: z.literal(false) }),
  "daemon start": z.strictObject(Health.shape),
  "daemon restart": z.strictObject(Health.shape),
  "daemon status": z.strictObject({ ...Health.shape, archive_push: Schedule.optional() }).nullable(),
  "daemon stop": z.strictObject({
    stopped: z.boolean(),
    pid: z.int().optional(),
    forced: z.boolean().optional(),
    listen: z.string().optional(),
    hosts: Texts.optional(),
  }),
  "daemon install": z.strictObject({ path: z.string(), enable: z.string() }),
  "daemon uninstall": z.strictObject({ removed: z.boolean(), path: z.string(), disable: z.string() }),
  open: z.union([
    z.strictObject({ address: z.string(), link: z.string(), expiresAt: Time }),
    z.strictObject({
      steps: z.array(z.strictObject({ ok: z.boolean(), text: z.string() })),
      advice: z.array(z.string()),
      address: z.optional(z.string()),
      link: z.optional(z.string()),
      expiresAt: z.optional(Time),
    }),
  ]),
  upgrade: z.strictObject({ version: z.string(), newest: z.string().optional(), install: z.string() }),
  "notify add": z.strictObject(AddedChannel.shape),
  "notify list": z.array(z.strictObject(Channel.shape)),
  "notify remove": z.strictObject({ removed: z.string() }),
  "notify test": z.array(z.strictObject(Channel.shape)),
  "peers add": z.strictObject({ ...PeerStatus.shape, kept: z.boolean() }),
  "peers list": z.array(z.strictObject(PeerStatus.shape)),
  "peers status": z.array(z.strictObject(PeerStatus.shape)),
  "peers retry": z.strictObject(PeerStatus.shape),
  "share create": z.strictObject({ ...ShareLink.shape, link: z.string() }),
  "share list": z.array(z.strictObject(ShareLink.shape)),
  "share revoke": z.strictObject({ revoked: z.string() }),
  "peers remove": z.strictObject({ removed: z.string() }),
  "archive use": z.strictObject({ archive: z.string() }),
  "archive init": z.strictObject({ archive: z.string(), schema: Count, applied: z.array(Count) }),
  "archive review": z.strictObject({
    sessions: z.array(
      z.strictObject({
        unifiedId: z.string(),
        title: z.string(),
        messages: Count,
        findings: z.array(
          z.strictObject({
            rule: z.string(),
            where: z.string(),
            length: Count,
            isUnsure: z.literal(true).optional(),
          }),
        ),
      }),
    ),
    withheld: Withheld,
  }),
  "archive push": z.union([
    z.strictObject({
      archive: z.string(),
      sent: Count,
      changed: Count,
      unchanged: Count,
      tooOld: Count,
      shared: Count,
      redactions: Count,
      withheld: Withheld,
      unshared: Withheld,
      runsWithheld: Count,
    }),
    z.strictObject({ everyMs: Count.nullable() }),
  ]),
  "archive pull": z.strictObject({ directory: z.string(), fetched: Count, unchanged: Count, failed: Withheld }),
  "archive status": z.strictObject({
    archive: z.string(),
    schema: Count,
    user: z.string(),
    seesEverything: z.boolean(),
    machine: z.string(),
    here: z.strictObject({ current: Count, changed: Count, missing: Count, tooOld: Count }),
    owners: z.array(z.strictObject({ owner: z.string(), sessions: Count, messages: Count, shared: Count })),
    machines: z.array(z.strictObject({ machine: z.string(), sessions: Count, redactions: Count, pushedAt: Time })),
    schedule: Schedule.nullable(),
  }),
  "archive share": z.strictObject({ changed: Count }),
  "archive shared": z.array(
    z.strictObject({
      at: Time.nullable(),
      owner: z.string(),
      unifiedId: z.string(),
      team: z.string().nullable(),
    }),
  ),
  "archive members": z.array(z.strictObject({ member: z.string(), team: z.string() })),
  "archive retention": z.union([
    z.strictObject({ before: Time.nullable() }),
    z.strictObject({ before: Time, sessions: Count, messages: Count, runs: Count, removed: z.boolean() }),
  ]),
  "archive purge": z.strictObject({
    looked: Count,
    sessions: Texts,
    places: Count,
    removed: Texts,
    recorded: Count,
    runs: Count,
    readers: z.array(z.strictObject({ reader: z.string(), team: z.string(), sessions: Count, since: Time.nullable() })),
    machines: Texts,
    failed: Withheld,
    dryRun: z.boolean(),
  }),
};
