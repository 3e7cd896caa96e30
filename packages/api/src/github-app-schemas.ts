/** The GitHub App of a project, which is created from a manifest. */
import * as z from 'zod';
import { timestamp } from './primitives.ts';

/** GitHub's limit. */
export const maxAppNameLength = 34;

const loopbackUrl = z
  .url({
    protocol: /^http$/,
    hostname: /^(?:localhost|127\.0\.0\.1|\[::1\])$/,
    error: 'Use the URL of a program on this machine, such as http://127.0.0.1:8123/.',
  })
  .max(200);

export const StartGithubApp = z
  .strictObject({
    organization: z
      .string()
      .trim()
      .regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,38}$/, 'This is not the name of an organization on GitHub.')
      .nullish()
      .meta({ description: 'The organization on GitHub that owns the App. Default: your account.' }),
    name: z.string().trim().min(1).max(maxAppNameLength).nullish().meta({
      description:
        'The name of the App, which is unique on GitHub. You can change it there. Default: Docyard and the name of the project.',
    }),
    returnTo: loopbackUrl.nullish().meta({
      description:
        'Where GitHub sends the browser with the code, for programs that finish the set-up themselves. Default: the dashboard.',
    }),
  })
  .meta({ id: 'StartGithubApp', examples: [{ organization: 'harbour' }] });
export type StartGithubApp = z.infer<typeof StartGithubApp>;

export const StartedGithubApp = z
  .object({
    url: z.string().meta({
      description: 'The page that sends the manifest to GitHub. Open it in a browser.',
      examples: ['https://docyard.example.com/github-app/pr_5f0c9d1e7a3b8264?state=…'],
    }),
    expiresAt: timestamp.meta({ description: 'Until then the App can be created.' }),
  })
  .meta({ id: 'StartedGithubApp' });
export type StartedGithubApp = z.infer<typeof StartedGithubApp>;

export const FinishGithubApp = z
  .strictObject({
    code: z
      .string()
      .regex(/^[\w-]{1,200}$/, 'This is not a code of GitHub.')
      .describe('The parameter `code` with which GitHub returns.'),
    state: z
      .string()
      .regex(/^[\w-]{43}$/, 'This is not the state of a set-up.')
      .describe('The parameter `state` with which GitHub returns.'),
  })
  .meta({ id: 'FinishGithubApp' });
export type FinishGithubApp = z.infer<typeof FinishGithubApp>;

export const GithubApp = z
  .object({
    appId: z.string().describe('The id of the App.'),
    name: z.string().describe('Its name on GitHub.'),
    url: z.string().describe('Its page on GitHub.'),
    installUrl: z.string().describe('The page that installs the App on a repository.'),
    createdAt: timestamp.describe('When it was created.'),
  })
  .meta({ id: 'GithubApp' });
export type GithubApp = z.infer<typeof GithubApp>;

export const ProjectGithubApp = z
  .object({
    app: GithubApp.nullable().meta({
      description: 'The App whose key is the credential of the project; null without one.',
    }),
  })
  .meta({ id: 'ProjectGithubApp' });
export type ProjectGithubApp = z.infer<typeof ProjectGithubApp>;
