import * as z from 'zod';
import { ProjectAgent, SetProjectAgent } from './project-agent-schemas.ts';
import { exampleProject, exampleSource } from './examples.ts';
import { CustomScripts } from './export-schemas.ts';
import { ProjectPullRequests, SetProjectPullRequests } from './pull-request-schemas.ts';
import {
  createdAt,
  Domain,
  expectedVersion,
  gitRef,
  namesField,
  recordVersion,
  staysInside,
  updatedAt,
} from './primitives.ts';

export const Source = z
  .strictObject({
    repository: z
      .string()
      .trim()
      .min(1)
      .max(2048)
      .describe(
        'The `https://` URL of a git repository. An organization with local sources can also use a `file://` URL or an absolute folder.',
      ),
    ref: gitRef.nullish().describe('Branch, tag or commit. Default: the main branch of the repository.'),
    directory: z
      .string()
      .max(1024)
      .refine(staysInside, 'The path must not contain "..".')
      .nullish()
      .describe('The folder that contains `docs.json`. Default: the root.'),
  })
  .meta({ id: 'Source' });

const quietSeconds = z.int().min(0).max(60);

/** Frequent requests would load the forge, which may then refuse them. */
const intervalSeconds = z.int().min(30).max(86_400);

const Polling = z
  .object({
    enabled: z.boolean().describe('Whether the branch of the project is polled for new commits.'),
    intervalSeconds: intervalSeconds.describe('The time between two polls, which is extended by up to 10 %.'),
  })
  .meta({ id: 'ExportsPolling' });

const OnPush = z
  .object({
    enabled: z
      .boolean()
      .describe('Whether a push to the branch of the project starts an export. It needs a hook or polling.'),
    quietSeconds: quietSeconds.describe(
      'An export starts this long after the last push, and at most 60 seconds after the first.',
    ),
  })
  .meta({ id: 'ExportsOnPush' });

export const ProjectExports = z
  .object({
    customScripts: CustomScripts.meta({
      description: 'Whether scripts of the repository run on every page, unless an export says otherwise.',
    }),
    onPush: OnPush.describe('Exports that pushes start.'),
    polling: Polling.describe('Detects pushes without a hook.'),
  })
  .meta({ id: 'ProjectExports' });
export type ProjectExports = z.infer<typeof ProjectExports>;

const projectName = z.string().trim().min(1).max(128).describe('A display name.');

export const CreateProject = z
  .strictObject({ name: projectName, domain: Domain, source: Source.describe('Where the docs come from.') })
  .meta({
    id: 'CreateProject',
    examples: [
      {
        name: 'Product docs',
        domain: 'docs.example.com',
        source: exampleSource,
      },
    ],
  });
export type CreateProject = z.infer<typeof CreateProject>;

export const UpdateProject = z
  .strictObject({
    name: projectName.optional(),
    domain: Domain.optional(),
    source: Source.optional().describe('The new source. It is replaced as a whole.'),
    agent: SetProjectAgent.optional().meta({
      description: 'Settings for agent jobs. Omitted fields stay unchanged.',
    }),
    exports: z
      .strictObject({
        customScripts: CustomScripts.describe('Whether pages run the scripts of the repository.'),
        onPush: z
          .strictObject({
            enabled: z.boolean().describe('Whether pushes start exports. Default: `true`.'),
            quietSeconds: quietSeconds.describe('How long to wait for further pushes. Default: 10.'),
          })
          .partial()
          .describe('Exports that pushes start. Omitted fields stay unchanged.'),
        polling: z
          .strictObject({
            enabled: z.boolean().describe('Whether the branch is polled for new commits. Default: `false`.'),
            intervalSeconds: intervalSeconds.describe('The time between two polls. Default: 300.'),
          })
          .partial()
          .describe('Detects pushes without a hook. Omitted fields stay unchanged.'),
      })
      .partial()
      .optional()
      .meta({ description: 'Defaults for exports. Omitted fields stay unchanged.' }),
    pullRequests: SetProjectPullRequests.optional().meta({
      description: 'Previews of pull requests. Omitted fields stay unchanged.',
    }),
    version: expectedVersion,
  })
  .refine(
    namesField,
    'Set at least one field to change: name, domain, source, agent, exports or pullRequests.',
  )
  .meta({ id: 'UpdateProject', examples: [{ name: 'Product docs', version: 3 }] });
export type UpdateProject = z.infer<typeof UpdateProject>;

export const ContentKey = z
  .object({
    keyId: z
      .string()
      .regex(/^[0-9a-f]{16}$/)
      .meta({
        description: 'The id of the key, as in manifests. It is not secret.',
        examples: ['9f3c1a7be2045d86'],
      }),
    contentKey: z.string().meta({
      description: 'The secret key, as a server of the site reads it from a file.',
      examples: ['docyard-content-key:…'],
    }),
  })
  .meta({ id: 'ContentKey' });
export type ContentKey = z.infer<typeof ContentKey>;

export const Project = z
  .object({
    id: z.string().meta({ description: 'Starts with `pr_`.', examples: ['pr_5f0c9d1e7a3b8264'] }),
    name: z.string().describe('The display name.'),
    domain: z.string().describe('The domain, in lower case.'),
    source: z
      .object({
        repository: z.string().describe('The repository or folder.'),
        ref: z.string().nullable().describe('Branch, tag or commit; null for the main branch.'),
        directory: z.string().nullable().describe('The folder that contains `docs.json`; null for the root.'),
      })
      .describe('Where the docs come from.'),
    agent: ProjectAgent.describe('Settings of agent jobs. A secret is returned only as `{ "set": true }`.'),
    exports: ProjectExports.describe('Defaults of exports.'),
    pullRequests: ProjectPullRequests.describe('Previews of pull requests.'),
    createdAt,
    updatedAt,
    version: recordVersion,
  })
  .meta({ id: 'Project', examples: [exampleProject] });
export type Project = z.infer<typeof Project>;
