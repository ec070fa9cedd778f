/** The user's projects, their rules and pins. Stored on disk and sent as a whole. */
import * as z from "zod/mini";

const Text = z.string().check(z.maxLength(4096));
const Slug = z.string().check(z.regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/), z.maxLength(64));

/** Either a path or a remote. A path includes everything below it unless `exact` is set. */
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
  /** Ids in the user's order; ended sessions appear in a project only if listed here. */
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

/** Sessions without a project, grouped by directory. */
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
