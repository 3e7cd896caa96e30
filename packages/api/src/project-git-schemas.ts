/** How the commits and pull requests of a project look. */
import * as z from 'zod';

/** Expands to valid parts of a branch name. */
const placeholder = /\{(job|slug|date)\}/g;

const BranchTemplate = z
  .string()
  .min(1)
  .max(120)
  .check((ctx) => {
    const message = branchProblem(ctx.value);
    if (message !== undefined) ctx.issues.push({ code: 'custom', message, input: ctx.value });
  });

function branchProblem(template: string): string | undefined {
  const used = [...template.matchAll(placeholder)].map(([text]) => text);
  const expanded = template.replaceAll(placeholder, 'x');
  if (/[{}]/.test(expanded)) return 'Use only the placeholders {job}, {slug} and {date}.';
  if (new Set(used).size < used.length) return 'Use each placeholder once.';
  const isBranch =
    /^[A-Za-z0-9][A-Za-z0-9._/+@-]*$/.test(expanded) &&
    !/\.\.|\/\/|\/\.|\.lock(?:\/|$)|[./]$|^refs\//.test(expanded);
  if (isBranch) return undefined;
  return 'This is not the name of a branch. Use letters, digits, dashes and single slashes, such as docs/{slug}.';
}

export const GitIdentity = z
  .strictObject({
    name: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .regex(/^[^<>\p{C}\p{Zl}\p{Zp}]+$/u, 'A name is one line without angle brackets.')
      .refine((name) => /[\p{L}\p{N}]/u.test(name), 'A name contains a letter or digit.')
      .describe('The name.'),
    email: z
      .string()
      .trim()
      .max(254)
      .regex(/^[^\s<>@\p{C}]+@[^\s<>@\p{C}]+$/u, 'This is not an email address.')
      .describe('The email address.'),
  })
  .meta({ id: 'GitIdentity' });
export type GitIdentity = z.infer<typeof GitIdentity>;

const descriptions = {
  branch:
    'Name of the branch of a job. `{job}` is the id of the job, `{slug}` the start of its instruction, `{date}` the day of its creation. Without `{job}`, the id is appended. Default: `docyard/{job}`.',
  author: 'Author of the commits. Default: Docyard agent.',
  committer: 'Committer of the commits. Default: the author.',
  coAuthors: 'Each adds a `Co-authored-by` trailer to the commits.',
  labels: 'Labels.',
  reviewers: 'User names of the requested reviewers.',
  teams: 'Names of the requested teams, without their organization.',
  assignees: 'User names of the assignees.',
};

export const SetProjectGit = z
  .strictObject({
    branch: BranchTemplate.nullish().meta({ description: descriptions.branch }),
    author: GitIdentity.nullish().meta({ description: descriptions.author }),
    committer: GitIdentity.nullish().meta({ description: descriptions.committer }),
    coAuthors: z.array(GitIdentity).max(20).optional().meta({ description: descriptions.coAuthors }),
    signingKey: z.string().min(1).max(20_000).nullish().meta({
      description:
        'SSH or OpenPGP private key without a passphrase. Commits are signed with it. Null deletes it.',
    }),
  })
  .meta({ id: 'SetProjectGit' });
export type SetProjectGit = z.infer<typeof SetProjectGit>;

export const ProjectGit = z
  .object({
    branch: z.string().nullable().meta({ description: descriptions.branch }),
    author: GitIdentity.nullable().meta({ description: descriptions.author }),
    committer: GitIdentity.nullable().meta({ description: descriptions.committer }),
    coAuthors: z.array(GitIdentity).meta({ description: descriptions.coAuthors }),
    signingKey: z
      .object({
        set: z.boolean().describe('Whether a key is stored.'),
        format: z.enum(['ssh', 'openpgp']).nullable().describe('The format of the key.'),
        publicKey: z.string().nullable().describe('The public key, to register at the forge.'),
      })
      .describe('The key that signs commits.'),
  })
  .meta({ id: 'ProjectGit' });
export type ProjectGit = z.infer<typeof ProjectGit>;

const label = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^,\p{C}]+$/u, 'A label has no comma and no control characters.');

const account = z
  .string()
  .max(200)
  .regex(/^[^\s@,/\p{C}][^\s,/\p{C}]*$/u, 'Write the bare name, without @, organization, spaces and commas.');

const accounts = z.array(account).max(15);

export const SetProjectPullRequest = z
  .strictObject({
    labels: z.array(label).max(20).optional().describe(descriptions.labels),
    reviewers: accounts.optional().describe(descriptions.reviewers),
    teams: accounts.optional().describe(descriptions.teams),
    assignees: accounts.max(10).optional().describe(descriptions.assignees),
  })
  .meta({ id: 'SetProjectPullRequest' });
export type SetProjectPullRequest = z.infer<typeof SetProjectPullRequest>;

export const ProjectPullRequest = z
  .object({
    labels: z.array(z.string()).describe(descriptions.labels),
    reviewers: z.array(z.string()).describe(descriptions.reviewers),
    teams: z.array(z.string()).describe(descriptions.teams),
    assignees: z.array(z.string()).describe(descriptions.assignees),
  })
  .meta({ id: 'ProjectPullRequest' });
export type ProjectPullRequest = z.infer<typeof ProjectPullRequest>;
