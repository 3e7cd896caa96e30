/** Pull requests with previews, and the settings of a project for them. */
import * as z from 'zod';
import { forkPolicies, pullRequestPreviewStates } from './constants.ts';
import { createdAt, timestamp, updatedAt, wholeNumber } from './primitives.ts';

const fullCommit = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, 'This is not a full commit hash.');

const failOn = z.array(z.string().min(1).max(64)).max(50);

export const ProjectPullRequests = z
  .object({
    enabled: z
      .boolean()
      .describe(
        'Whether pull requests get previews. Unless it is set: whether the project has a credential.',
      ),
    comment: z.boolean().describe('Whether a comment on the pull request lists the changed pages.'),
    status: z.boolean().describe('Whether the head commit gets a status or check run.'),
    failOn: failOn.describe('Severities and codes of new findings that fail the status.'),
    forks: z
      .enum(forkPolicies)
      .describe('`approve` builds a commit of a fork after it was approved, `build` at once, `off` never.'),
  })
  .meta({ id: 'ProjectPullRequests' });
export type ProjectPullRequests = z.infer<typeof ProjectPullRequests>;

export const SetProjectPullRequests = z
  .strictObject({
    enabled: z
      .boolean()
      .nullable()
      .describe('Whether pull requests get previews. `null`: if the project has a credential of its forge.'),
    comment: z.boolean().describe('Whether to comment on pull requests. Default: `true`.'),
    status: z.boolean().describe('Whether to set a status or check run. Default: `true`.'),
    failOn: failOn.describe(
      'Severities and codes of new findings that fail the status. Default: `["error"]`.',
    ),
    forks: z.enum(forkPolicies).describe('What happens with pull requests of forks. Default: `approve`.'),
  })
  .partial()
  .meta({ id: 'SetProjectPullRequests' });

export const PullRequestPreview = z
  .object({
    state: z
      .enum(pullRequestPreviewStates)
      .describe(
        '`pending` waits for a worker. `approval` waits for the approval of the head commit. `skipped` has nothing to show.',
      ),
    reason: z.string().nullable().describe('Why the preview waits, failed or was skipped.'),
    url: z.string().nullable().meta({
      description:
        'The address of the preview, the same for the life of the pull request. Anyone who has it can read the preview. Null while there is none.',
    }),
    commit: z.string().nullable().describe('The commit that the address shows.'),
    jobId: z.string().nullable().describe('The export of the head commit.'),
    comparedWith: z.string().nullable().describe('The export that the changed pages are relative to.'),
  })
  .meta({ id: 'PullRequestPreview' });

export const ForgePullRequest = z
  .object({
    id: z.string().meta({ description: 'Starts with `pul_`.', examples: ['pul_8a1d4c7e2b5f9036'] }),
    projectId: z.string().describe('The project.'),
    number: wholeNumber.describe('The number at the forge.'),
    url: z.string().nullable().describe('The page at the forge.'),
    title: z.string().describe('The title. Anyone who can open pull requests can choose it.'),
    author: z.string().nullable().describe('The user of the forge.'),
    state: z.enum(['open', 'closed', 'merged']).describe('The state at the forge.'),
    isFork: z.boolean().describe('Whether the branch is in another repository.'),
    headBranch: z.string().describe('The branch.'),
    headCommit: z.string().describe('The newest known commit of the branch.'),
    baseBranch: z.string().describe('The branch that the pull request is for.'),
    approvedCommit: z.string().nullable().describe('The commit of a fork that may be built.'),
    approvedBy: z.string().nullable().describe('Who approved it.'),
    preview: PullRequestPreview.describe('The preview.'),
    commentUrl: z.string().nullable().describe('The comment at the forge.'),
    nextAttemptAt: timestamp
      .nullable()
      .describe('When a worker continues; null while nothing is to be done.'),
    createdAt,
    updatedAt,
  })
  .meta({ id: 'ForgePullRequest' });
export type ForgePullRequest = z.infer<typeof ForgePullRequest>;

export const ApprovePullRequest = z
  .strictObject({
    headCommit: fullCommit.describe(
      'The full hash of the commit that you reviewed. If the branch has another one, the request fails with `version_conflict`.',
    ),
  })
  .meta({ id: 'ApprovePullRequest' });
export type ApprovePullRequest = z.infer<typeof ApprovePullRequest>;
