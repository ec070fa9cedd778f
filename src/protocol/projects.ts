/** The user's order of things: projects, which sessions belong to each, what is pinned. Kept on disk, sent as a whole. */
import * as z from "zod/mini";

const Text = z.string().check(z.maxLength(4096));
const Slug = z.string().check(z.regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/), z.maxLength(64));

/** One of path and remote. A path takes in everything below it, unless it is exact. */
export const ProjectRule = z
  .object({ path: z.optional(Text), remote: z.optional(Text), exact: z.optional(z.boolean()) })
  .check(
    z.refine((rule) => (rule.path === undefined) !== (rule.remote === undefined), "needs a path or a remote"),
    z.refine((rule) => rule.exact !== true || rule.path !== undefined, "is exact only with a path"),
  );
export type ProjectRule = z.infer<typeof ProjectRule>;

export const MAX_PROJECT_SESSIONS = 10_000;

export const Project = z.object({
  slug: Slug,
  name: z.optional(Text),
  match: z.array(ProjectRule).check(z.minLength(1), z.maxLength(64)),
  /** Ids in the user's order; dead sessions are shown in a project only if they are in here. */
  sessions: z._default(z.array(Text).check(z.maxLength(MAX_PROJECT_SESSIONS)), []),
  pinned: z.optional(z.boolean()),
});
export type Project = z.infer<typeof Project>;

export const ProjectList = z.object({
  items: z.array(Project).check(
    z.maxLength(1000),
    z.refine((items) => new Set(items.map(({ slug }) => slug)).size === items.length, "has a slug twice"),
  ),
  /** Ids of pinned sessions, in order. */
  pins: z._default(z.array(Text).check(z.maxLength(1000)), []),
});
export type ProjectList = z.infer<typeof ProjectList>;

/** Sessions that belong to no project, grouped by where they are. */
export const DiscoveredProject = z.object({
  suggested_slug: z.string(),
  path: z.string(),
  remote: z.optional(z.string()),
  sessions: z.int(),
  alive: z.int(),
});
export type DiscoveredProject = z.infer<typeof DiscoveredProject>;

export const ProjectsAnswer = z.object({
  items: z.array(Project),
  pins: z.array(z.string()),
  discovered: z.array(DiscoveredProject),
});
export type ProjectsAnswer = z.infer<typeof ProjectsAnswer>;
