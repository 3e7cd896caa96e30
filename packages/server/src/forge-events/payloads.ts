/** Reads the payloads of the forges: one schema per forge, with only the fields that are needed. */
import type { ForgeEvent } from '@docyard/api';
import * as z from 'zod';
import type { DeliveryHeaders } from './delivery.ts';

export interface EventDetails {
  /** Addresses of the repository, in every form that the forge reports. */
  repositoryUrls: string[];
  defaultBranch: string | null;
  /** Null when the list is missing or may be incomplete. */
  changedPaths: string[] | null;
}

export interface EventContent {
  kind: ForgeEvent['kind'];
  ref: string | null;
  /** Null for a new branch. */
  before: string | null;
  /** Null for a deleted branch. */
  after: string | null;
  repository: string | null;
  actor: string | null;
  details: EventDetails;
  /** Set when there is nothing to do. */
  ignoredBecause: string | null;
}

/** A forge that lists this many commits may have omitted some. */
const maxListedCommits = 20;
const maxChangedPaths = 1000;
const testNames: readonly string[] = ['ping', 'diagnostics:ping'];
const pushNames: readonly string[] = ['push', 'Push Hook', 'Tag Push Hook', 'repo:push', 'repo:refs_changed'];

/** A delivery of Bitbucket is about any number of refs. */
export function readPayload({ forge, name }: DeliveryHeaders, payload: unknown): EventContent[] {
  if (testNames.includes(name)) return [withoutAction('test', 'The forge tested the hook.')];
  if (!pushNames.includes(name)) {
    return [withoutAction('other', `Events of the type ${name} have no effect. Send only pushes.`)];
  }
  const parsed = pushSchemas[forge as keyof typeof pushSchemas].safeParse(payload);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') || 'payload';
  return [withoutAction('other', `The payload is not a push of ${forge}: ${field} is missing or invalid.`)];
}

function withoutAction(kind: 'test' | 'other', ignoredBecause: string): EventContent {
  const nothing = { ref: null, before: null, after: null, repository: null, actor: null };
  const details = { repositoryUrls: [], defaultBranch: null, changedPaths: null };
  return { kind, ...nothing, details, ignoredBecause };
}

const noControlCharacters = (text: string) => !/\p{Cc}/u.test(text);
const text = z.string().max(2048).refine(noControlCharacters);
const url = text.optional();
const userName = z
  .string()
  .transform((name) => name.replaceAll(/\p{Cc}/gu, '').slice(0, 200))
  .nullish();
/** Forges write a missing commit as zeros. */
const commit = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
  .transform((hash) => (/^0+$/.test(hash) ? null : hash));
const paths = z.array(z.string()).nullish();
const commits = z.array(z.looseObject({ added: paths, modified: paths, removed: paths })).nullish();

type Commits = z.infer<typeof commits>;

function pathsOf(list: Commits, totalCommits: number | undefined): string[] | null {
  if (list === null || list === undefined || list.length >= maxListedCommits) return null;
  if (list.length === 0 || (totalCommits ?? list.length) !== list.length) return null;
  const changed = new Set<string>();
  for (const { added, modified, removed } of list) {
    // Null stands for an empty list only when the forge reports another one.
    if (!added && !modified && !removed) return null;
    for (const path of [added, modified, removed].flatMap((each) => each ?? [])) changed.add(path);
  }
  return changed.size > maxChangedPaths ? null : [...changed];
}

interface Pushed {
  ref: string;
  before: string | null;
  after: string | null;
  urls: (string | undefined)[];
  defaultBranch?: string | null | undefined;
  actor?: string | null | undefined;
  changedPaths?: string[] | null;
}

function pushOf(pushed: Pushed): EventContent {
  const repositoryUrls = pushed.urls.filter((each) => each !== undefined);
  return {
    kind: 'push',
    ref: pushed.ref,
    before: pushed.before,
    after: pushed.after,
    repository: repositoryUrls[0] ?? null,
    actor: pushed.actor ?? null,
    details: {
      repositoryUrls,
      defaultBranch: pushed.defaultBranch ?? null,
      changedPaths: pushed.changedPaths ?? null,
    },
    ignoredBecause: null,
  };
}

const github = z
  .object({
    ref: text,
    before: commit,
    after: commit,
    forced: z.boolean(),
    repository: z.object({ clone_url: url, ssh_url: url, html_url: url, default_branch: text.nullish() }),
    pusher: z.object({ name: userName }).nullish(),
    commits,
  })
  .transform((push) => {
    const { clone_url, ssh_url, html_url, default_branch: defaultBranch } = push.repository;
    // A forced push also removes commits, which are not listed.
    const isComplete = !push.forced && push.before !== null;
    const changedPaths = isComplete ? pathsOf(push.commits, undefined) : null;
    const urls = [clone_url, ssh_url, html_url];
    return [pushOf({ ...push, urls, defaultBranch, actor: push.pusher?.name, changedPaths })];
  });

/** The payload does not say whether the push was forced, so its list of paths may be incomplete. */
const gitea = z
  .object({
    ref: text,
    before: commit,
    after: commit,
    repository: z.object({ clone_url: url, ssh_url: url, html_url: url, default_branch: text.nullish() }),
    pusher: z.object({ login: userName, username: userName }).nullish(),
  })
  .transform((push) => {
    const { clone_url, ssh_url, html_url, default_branch: defaultBranch } = push.repository;
    const actor = push.pusher?.login ?? push.pusher?.username;
    return [pushOf({ ...push, urls: [clone_url, ssh_url, html_url], defaultBranch, actor })];
  });

/** As for Gitea, the list of paths may be incomplete. */
const gitlab = z
  .object({
    ref: text,
    before: commit,
    after: commit,
    user_username: userName,
    project: z.object({ git_http_url: url, git_ssh_url: url, web_url: url, default_branch: text.nullish() }),
  })
  .transform((push) => {
    const { git_http_url, git_ssh_url, web_url, default_branch: defaultBranch } = push.project;
    const urls = [git_http_url, git_ssh_url, web_url];
    return [pushOf({ ...push, urls, defaultBranch, actor: push.user_username })];
  });

const cloudRef = z.object({ type: text, name: text, target: z.object({ hash: commit }) }).nullable();
const bitbucket = z
  .object({
    actor: z.object({ nickname: userName, display_name: userName }).nullish(),
    repository: z.object({ links: z.object({ html: z.object({ href: text }) }) }),
    push: z.object({ changes: z.array(z.object({ old: cloudRef, new: cloudRef })) }),
  })
  .transform(({ actor, repository, push }) =>
    push.changes.flatMap((change) => {
      const named = change.new ?? change.old;
      if (named === null) return [];
      const ref = `refs/${named.type === 'branch' ? 'heads' : 'tags'}/${named.name}`;
      const [before, after] = [change.old?.target.hash ?? null, change.new?.target.hash ?? null];
      const urls = [repository.links.html.href];
      return [pushOf({ ref, before, after, urls, actor: actor?.nickname ?? actor?.display_name })];
    }),
  );

const dataCenter = z
  .object({
    actor: z.object({ name: userName }).nullish(),
    repository: z.object({
      slug: text,
      project: z.object({ key: text }),
      links: z.object({ clone: z.array(z.object({ href: text })).optional() }).optional(),
    }),
    changes: z.array(z.object({ ref: z.object({ id: text }), fromHash: commit, toHash: commit })),
  })
  .transform(({ actor, repository, changes }) => {
    const { slug, project, links } = repository;
    // Versions before 7.0 send no links. A path alone is compared with the end of the address.
    const urls = links?.clone?.map(({ href }) => href) ?? [`${project.key}/${slug}`];
    return changes.map(({ ref: { id: ref }, fromHash: before, toHash: after }) =>
      pushOf({ ref, before, after, urls, actor: actor?.name }),
    );
  });

const pushSchemas = { github, gitea, gitlab, bitbucket, 'bitbucket-data-center': dataCenter };
