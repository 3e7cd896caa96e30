import { describe, expect, it } from 'vitest';
import { errorTable } from './errors.ts';
import { buildOpenApi } from './openapi.ts';
import { impliedErrors, operation, operationIds } from './routes.ts';

const table = operationIds.map((id) => ({ id, ...operation(id) }));

describe('operations', () => {
  it('the table includes every path of the specification', () => {
    const addresses = table.map(({ method, path }) => `${method} ${path}`);
    expect(addresses).toEqual(
      expect.arrayContaining([
        'get /v2/agent/{projectId}/job/{id}',
        'post /v1/static-export/jobs',
        'get /v1/static-export/jobs/{jobId}',
        'post /v1/static-export/jobs/{jobId}/bundle',
      ]),
    );
  });

  it('each combination of method and path occurs once, regardless of parameter names', () => {
    const addresses = table.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
    expect(new Set(addresses).size).toBe(addresses.length);
  });

  it.each(table)('$id declares exactly the parameters of its path', ({ path, params }) => {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(Object.keys(params?.shape ?? {})).toEqual(inPath);
  });

  it.each(table)('$id names only errors that exist, each once', ({ errors, id }) => {
    const codes = [...errors, ...impliedErrors(operation(id))];
    expect(codes.filter((code) => !(code in errorTable))).toEqual([]);
    expect(new Set(codes).size).toBe(codes.length);
  });

  it.each(table.filter(({ method }) => method === 'get'))(
    '$id reads only: no body, no write scope',
    (read) => {
      expect(read.body).toBeUndefined();
      expect(read.scope ?? '').not.toMatch(/write/);
    },
  );

  const ofOneProject = [
    'deleteAnalytics',
    'exportAnalytics',
    'readAnalytics',
    'reportReadings',
    ['startExport', 'listExports', 'readExport', 'deleteExport', 'cancelExport', 'retryExport'],
    ['readProjectHook', 'createHookSecret', 'disableProjectHook', 'readProjectPolling'],
    ['readGithubApp', 'startGithubApp', 'finishGithubApp'],
    ['listForgeEvents', 'readForgeEvent', 'replayForgeEvent'],
    ['listPullRequests', 'readPullRequest', 'approvePullRequest', 'rebuildPullRequest'],
    ['createBundle', 'openBundle', 'openLatestBundle', 'followExport', 'followExports'],
    ['readReport', 'readManifest', 'createPreview', 'compareExports', 'readSigningKey'],
    ['readPageChange', 'compareFindings', 'readInsights'],
    ['createAgentJob', 'listAgentJobs', 'readAgentJob', 'messageAgentJob', 'followAgentJob'],
    ['readAgentDiff', 'readAgentTranscript', 'cancelAgentJob', 'retryAgentJob'],
    ['archiveAgentJob', 'unarchiveAgentJob', 'listAllAgentJobs', 'followAgentJobs'],
    ['listProjects', 'readProject', 'updateProject', 'deleteProject', 'readContentKey'],
    ['listKeys', 'createKey', 'rollKey', 'revokeKey'],
    ['listDeployments', 'reportDeployment', 'readDeployment', 'rollbackDeployment'],
    ['resumeDeployment', 'cancelInstruction', 'deleteDeployment'],
    ['readAutomations', 'refreshAutomations', 'runAutomation', 'pauseAutomation', 'resumeAutomation'],
    ['listAutomationRuns'],
    ['readMe', 'signOut', 'changePassword'],
  ].flat();

  /** A closed list: a new operation must be added here or be organizationWide. */
  it('a key of one project can call operations that stay within the project', () => {
    const open = table.filter(({ scope, organizationWide }) => scope !== null && !organizationWide);
    expect(open.map(({ id }) => id).toSorted()).toEqual(ofOneProject.toSorted());
  });

  it('a key of one project is refused by all other operations, which document it', () => {
    const refusing = table.filter(({ organizationWide }) => organizationWide);
    for (const { id } of refusing) expect(impliedErrors(operation(id))).toContain('scope_missing');
    expect(JSON.stringify(buildOpenApi()).match(/A project key is refused/g)).toHaveLength(refusing.length);
  });

  const ofOwnSession = ['setUp', 'signIn', 'signOut', 'acceptInvitation', 'changePassword'];

  const ofReading = ['createPreview'];
  const harmless = new Set([...ofOwnSession, ...ofReading]);

  it.each(table.filter(({ id, method }) => method !== 'get' && !harmless.has(id)))(
    '$id changes something: it needs a write scope',
    (change) => {
      expect(change.scope).toMatch(/:(?:write|report)$/);
    },
  );

  it.each(table.filter(({ method, keepsNoAnswer }) => method === 'post' && !keepsNoAnswer))(
    '$id documents its idempotency key',
    ({ path, id }) => {
      const paths = buildOpenApi()['paths'] as Record<string, { post: { parameters: { name: string }[] } }>;
      expect(paths[path]?.post.parameters.map(({ name }) => name)).toContain('Idempotency-Key');
      expect(impliedErrors(operation(id))).toEqual(
        expect.arrayContaining(['invalid_request', 'idempotency_key_reused']),
      );
    },
  );

  it.each(table.filter(({ path }) => path.includes('{')))(
    '$id can miss what its path names',
    ({ errors }) => {
      expect(errors).toContain('not_found');
    },
  );

  it.each(table.filter(({ scope }) => scope === null))(
    '$id, open to everybody, is about health or the way in',
    ({ id, tag }) => {
      if (id !== 'readSetup' && !ofOwnSession.includes(id)) expect(tag).toBe('Health');
    },
  );

  it('only the static export operations require the enterprise plan', () => {
    const inArea = table.filter(({ path }) => path.startsWith('/v1/static-export/'));
    expect(table.filter(({ plan }) => plan === 'enterprise')).toEqual(inArea);
    expect(inArea.length).toBeGreaterThan(10);
  });
});

describe('impliedErrors', () => {
  it('address_refused is implied for every operation with a key', () => {
    expect(impliedErrors(operation('readMe'))).toContain('address_refused');
    expect(impliedErrors(operation('readExport'))).toContain('address_refused');
  });

  it('storage_unavailable is implied for every operation with a key', () => {
    expect(impliedErrors(operation('readMe'))).toContain('storage_unavailable');
    expect(impliedErrors(operation('openBundle'))).toContain('storage_unavailable');
  });

  it('operations without a key imply only precondition_failed', () => {
    expect(impliedErrors(operation('readHealth'))).toEqual(['precondition_failed']);
  });

  it('an operation for every key does not imply scope_missing', () => {
    expect(impliedErrors(operation('readMe'))).not.toContain('scope_missing');
  });
});
