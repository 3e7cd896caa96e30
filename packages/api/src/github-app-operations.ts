import * as z from 'zod';
import { json, type Operation } from './operation.ts';
import { projectId } from './primitives.ts';
import * as schemas from './schemas.ts';

const projectParams = z.object({ projectId });
const tag = 'Forge events';

export const githubAppOperations = {
  readGithubApp: {
    method: 'get',
    path: '/v1/projects/{projectId}/github-app',
    tag,
    summary: 'Read the GitHub App of a project',
    description: 'The App that was created for the project, without its key.',
    scope: 'projects:read',
    params: projectParams,
    success: json(200, schemas.ProjectGithubApp),
    errors: ['not_found'],
  },
  startGithubApp: {
    method: 'post',
    path: '/v1/projects/{projectId}/github-app',
    tag,
    summary: 'Start creating a GitHub App',
    description:
      'Open `url` in a browser: its page sends a manifest with the hook, the events and the permissions to GitHub, where you confirm it. GitHub returns a code, with which the caller that started finishes within an hour. Another start replaces it.\n\nThe body is optional.',
    scope: 'projects:write',
    params: projectParams,
    body: schemas.StartGithubApp,
    bodyOptional: true,
    success: json(201, schemas.StartedGithubApp),
    errors: ['not_found'],
  },
  finishGithubApp: {
    method: 'post',
    path: '/v1/projects/{projectId}/github-app/finish',
    tag,
    summary: 'Finish creating a GitHub App',
    description:
      'Exchanges the code for the key of the App and the secret of its webhook, and stores them encrypted as the credential and the hook secret of the project. Each `state` is accepted once.',
    scope: 'projects:write',
    params: projectParams,
    body: schemas.FinishGithubApp,
    success: json(200, schemas.ProjectGithubApp),
    errors: ['not_found', 'forge_failed'],
    keepsNoAnswer: true,
  },
} as const satisfies Record<string, Operation>;
