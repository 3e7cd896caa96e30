/** Agent settings of a project. Responses never contain the secrets. */
import * as z from 'zod';
import { agentEngines, forgeKinds, modelProviders } from './constants.ts';
import { AgentLimits, SetAgentLimits } from './agent-schemas.ts';
import { ContextRepository, SetContextRepositories } from './context-schemas.ts';
import { secret, SetForgeCredential } from './forge-credential-schemas.ts';
import { ModelHeaders, modelOptions } from './model-schemas.ts';
import { httpUrl, modelName, docsPath } from './primitives.ts';
import {
  ProjectGit,
  ProjectPullRequest,
  SetProjectGit,
  SetProjectPullRequest,
} from './project-git-schemas.ts';

const configKey = z
  .string()
  .max(200)
  .regex(/^[\w$-]+(?:\.[\w$-]+)*$/, 'Name a key of docs.json, such as "redirects" or "api.playground".');

const forkName = z.union(
  [
    httpUrl,
    z
      .string()
      .max(500)
      .regex(/^[\w~.-]+(?:\/[\w~.-]+)*$/),
  ],
  'Use the URL of a fork, its namespace, such as "ada" or "group/team", or "auto".',
);

export const SetProjectAgent = z
  .strictObject({
    engine: z.enum(agentEngines).nullish().meta({
      description:
        'What edits the files: `builtin`, or `external` for the program in `AGENT_COMMAND`. Null for `external` if the installation has that program, otherwise `builtin`.',
    }),
    model: z
      .strictObject({
        provider: z.enum(modelProviders).describe('The protocol of the endpoint.'),
        url: httpUrl.describe('URL of the endpoint.'),
        name: modelName.describe('The model.'),
        key: secret.nullish().meta({
          description: 'When omitted, the stored key is kept as long as `url` has the same host.',
        }),
        headers: ModelHeaders.nullish().meta({
          description:
            'Extra headers of each request. Their values are secret. When omitted, the stored headers are kept as long as `url` has the same host.',
        }),
        ...modelOptions,
      })
      .nullish()
      .describe('The model endpoint. Null for that of the installation.'),
    forge: z
      .strictObject({
        kind: z.enum(forgeKinds).describe('The kind of forge.'),
        apiBase: httpUrl.nullish().describe('URL of its API. Default: derived from the repository.'),
        fork: forkName.nullish().meta({
          description:
            'A fork on the same host that gets the branches: its URL, its namespace, or `auto` for one in the account of the token, which is created if it is missing. Null to push to the repository itself.',
        }),
        credential: SetForgeCredential.nullish().meta({
          description:
            'When omitted, the stored credential is kept as long as `kind`, `apiBase` and the host of the repository stay the same.',
        }),
      })
      .nullish()
      .describe('Where pull requests are opened. Null to detect it from the URL of the repository.'),
    git: SetProjectGit.nullish().meta({
      description: 'How branches and commits look. Omitted fields stay unchanged. Null for the defaults.',
    }),
    pullRequest: SetProjectPullRequest.nullish().meta({
      description:
        'What each new pull request gets. Omitted fields stay unchanged. Null for nothing. A forge may not have all fields.',
    }),
    limits: SetAgentLimits.nullish().describe('The limits of each run.'),
    protectedPaths: z.array(docsPath).max(200).optional().meta({
      description:
        'Paths, folders or patterns that no job may change. They take precedence over `allowedPaths`.',
    }),
    allowedPaths: z.array(docsPath).max(200).optional().meta({
      description: 'Patterns of files that jobs may change although they are protected by default.',
    }),
    allowedConfigKeys: z.array(configKey).max(200).optional().meta({
      description: 'Keys of `docs.json` that jobs may change although they are protected by default.',
    }),
    instructions: z.string().max(16_000).nullish().describe('Instructions for every job.'),
    contextRepositories: SetContextRepositories.optional().meta({
      description:
        'Code repositories that agents read besides the documentation. The list is replaced as a whole. It cannot be changed with an API key that is limited to one project.',
    }),
    requireEvidence: z.boolean().nullish().meta({
      description:
        'Whether each changed page needs evidence: lines of code or other pages that support it. Without evidence, the pull request is a draft. Null for `true` if the project has context repositories, otherwise `false`.',
    }),
  })
  .meta({ id: 'SetProjectAgent' });
export type SetProjectAgent = z.infer<typeof SetProjectAgent>;

const storedSecret = z.object({ set: z.boolean().describe('Whether a secret is stored.') });

export const ProjectAgent = z
  .object({
    engine: z
      .enum(agentEngines)
      .nullable()
      .describe('What edits the files; null for the default of the installation.'),
    model: z
      .object({
        provider: z.enum(modelProviders).describe('The protocol of the endpoint.'),
        url: z.string().describe('URL of the endpoint.'),
        name: z.string().describe('The model.'),
        key: storedSecret.describe('The key of the endpoint.'),
        headers: z
          .record(z.string(), storedSecret)
          .optional()
          .describe('Extra headers of each request, by their names.'),
        ...modelOptions,
      })
      .nullable()
      .describe('The model endpoint; null for that of the installation.'),
    forge: z
      .object({
        kind: z.enum(forgeKinds).describe('The kind of forge.'),
        apiBase: z.string().nullable().describe('URL of its API; null if it is derived from the repository.'),
        fork: z
          .string()
          .nullable()
          .describe(
            'The fork that gets the branches: a URL, a namespace or `auto`; null if they are pushed to the repository.',
          ),
        credential: storedSecret.describe('The credential of the forge.'),
      })
      .nullable()
      .describe('Where pull requests are opened; null if it is detected.'),
    git: ProjectGit.describe('How branches and commits look; null for the default.'),
    pullRequest: ProjectPullRequest.describe('What each new pull request gets.'),
    limits: AgentLimits.partial().describe('The limits that the project sets.'),
    protectedPaths: z.array(z.string()).describe('Paths that no job can change.'),
    allowedPaths: z.array(z.string()).describe('Protected paths that jobs can change.'),
    allowedConfigKeys: z.array(z.string()).describe('Protected keys of `docs.json` that jobs can change.'),
    instructions: z.string().nullable().describe('Instructions for every job.'),
    contextRepositories: z
      .array(ContextRepository)
      .describe('Code repositories that agents read besides the documentation.'),
    requireEvidence: z
      .boolean()
      .nullable()
      .describe('Whether each changed page needs evidence; null if context repositories decide.'),
  })
  .meta({ id: 'ProjectAgent', description: 'Reports for each secret whether it is set, never its value.' });
export type ProjectAgent = z.infer<typeof ProjectAgent>;
