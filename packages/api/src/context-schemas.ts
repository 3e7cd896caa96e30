/** Code that agents read besides the documentation. */
import * as z from 'zod';
import { maxContextRepositories } from './constants.ts';
import { SetForgeCredential } from './forge-credential-schemas.ts';
import { docsPath, gitRef } from './primitives.ts';

/** Begins the paths of its files, so it is a plain name of a folder. */
const contextName = z
  .string()
  .max(50)
  .regex(
    /^[a-z0-9][a-z0-9_-]*$/,
    'A name has lower case letters, digits, dashes and underscores, such as api-server.',
  );

const descriptions = {
  name: 'The name under which agents see it.',
  ref: 'Branch, tag or commit. Default: the main branch of the repository.',
  paths: 'Files and folders to read. Default: the whole repository.',
};

const SetContextRepository = z
  .strictObject({
    name: contextName.describe(descriptions.name),
    repository: z
      .string()
      .trim()
      .min(1)
      .max(2048)
      .describe(
        'The `https://` URL of a git repository. An organization with local sources can also use a `file://` URL or an absolute folder.',
      ),
    ref: gitRef.nullish().describe(descriptions.ref),
    paths: z.array(docsPath).max(50).optional().describe(descriptions.paths),
    credential: SetForgeCredential.nullish().meta({
      description:
        'For a private repository. When omitted, the stored credential is kept as long as `name` and the host of `repository` stay the same. Without one, the credential of `forge` is used if the documentation is on the same host.',
    }),
  })
  .meta({ id: 'SetContextRepository' });

export const SetContextRepositories = z
  .array(SetContextRepository)
  .max(maxContextRepositories)
  .refine(
    (all) => new Set(all.map(({ name }) => name)).size === all.length,
    'Each repository needs another name.',
  );

export const ContextRepository = z
  .object({
    name: z.string().describe(descriptions.name),
    repository: z.string().describe('URL of the repository.'),
    ref: z.string().nullable().describe('Branch, tag or commit; null for the main branch.'),
    paths: z.array(z.string()).describe('Files and folders to read; empty for the whole repository.'),
    credential: z
      .object({ set: z.boolean().describe('Whether a secret is stored.') })
      .describe('The credential of the repository.'),
  })
  .meta({ id: 'ContextRepository' });

const commit = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'Use the full hash of a commit.');

export const TriggeringChange = z
  .strictObject({
    repository: contextName.describe('The name of the context repository that has the change.'),
    base: commit.describe('The commit before the change.'),
    head: commit.describe('The commit with the change.'),
  })
  .meta({ id: 'TriggeringChange' });
export type TriggeringChange = z.infer<typeof TriggeringChange>;
