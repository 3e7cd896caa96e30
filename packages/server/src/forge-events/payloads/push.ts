/** Pushes of the forges: one schema per forge, with only the fields that are needed. */
import * as z from 'zod';
import type { EventContent } from './event-content.ts';
import {
  cloudRepository,
  cloudUser,
  commit,
  dataCenterRepository,
  gitlabProject,
  repository,
  text,
  userName,
} from './fields.ts';

/** A forge that lists this many commits may have omitted some. */
const maxListedCommits = 20;
const maxChangedPaths = 1000;

const paths = z.array(z.string()).nullish();
const commits = z.array(z.looseObject({ added: paths, modified: paths, removed: paths })).nullish();

type Commits = z.infer<typeof commits>;

function pathsOf(list: Commits): string[] | null {
  if (list === null || list === undefined || list.length >= maxListedCommits) return null;
  if (list.length === 0) return null;
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
  urls: string[];
  defaultBranch?: string | null | undefined;
  actor?: string | null | undefined;
  changedPaths?: string[] | null;
}

function pushOf(pushed: Pushed): EventContent {
  return {
    kind: 'push',
    ref: pushed.ref,
    before: pushed.before,
    after: pushed.after,
    repository: pushed.urls[0] ?? null,
    actor: pushed.actor ?? null,
    details: {
      repositoryUrls: pushed.urls,
      defaultBranch: pushed.defaultBranch ?? null,
      changedPaths: pushed.changedPaths ?? null,
    },
    ignoredBecause: null,
  };
}

export const githubPush = z
  .object({
    ref: text,
    before: commit,
    after: commit,
    forced: z.boolean(),
    repository,
    pusher: z.object({ name: userName }).nullish(),
    commits,
  })
  .transform((push) => {
    // A forced push also removes commits, which are not listed.
    const isComplete = !push.forced && push.before !== null;
    const changedPaths = isComplete ? pathsOf(push.commits) : null;
    return [pushOf({ ...push, ...push.repository, actor: push.pusher?.name, changedPaths })];
  });

/** The payload does not say whether the push was forced, so its list of paths may be incomplete. */
export const giteaPush = z
  .object({
    ref: text,
    before: commit,
    after: commit,
    repository,
    pusher: z.object({ login: userName, username: userName }).nullish(),
  })
  .transform((push) => {
    const actor = push.pusher?.login ?? push.pusher?.username;
    return [pushOf({ ...push, ...push.repository, actor })];
  });

/** As for Gitea, the list of paths may be incomplete. */
export const gitlabPush = z
  .object({ ref: text, before: commit, after: commit, user_username: userName, project: gitlabProject })
  .transform((push) => [pushOf({ ...push, ...push.project, actor: push.user_username })]);

const cloudRef = z.object({ type: text, name: text, target: z.object({ hash: commit }) }).nullable();
export const bitbucketPush = z
  .object({
    actor: cloudUser,
    repository: cloudRepository,
    push: z.object({ changes: z.array(z.object({ old: cloudRef, new: cloudRef })) }),
  })
  .transform(({ actor, repository: { urls }, push }) =>
    push.changes.flatMap((change) => {
      const named = change.new ?? change.old;
      if (named === null) return [];
      const ref = `refs/${named.type === 'branch' ? 'heads' : 'tags'}/${named.name}`;
      const [before, after] = [change.old?.target.hash ?? null, change.new?.target.hash ?? null];
      return [pushOf({ ref, before, after, urls, actor })];
    }),
  );

export const dataCenterPush = z
  .object({
    actor: z.object({ name: userName }).nullish(),
    repository: dataCenterRepository,
    changes: z.array(z.object({ ref: z.object({ id: text }), fromHash: commit, toHash: commit })),
  })
  .transform(({ actor, repository: { urls }, changes }) =>
    changes.map(({ ref: { id: ref }, fromHash: before, toHash: after }) =>
      pushOf({ ref, before, after, urls, actor: actor?.name }),
    ),
  );
