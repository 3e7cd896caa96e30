/**
 * The table of operations agrees with itself and with the addresses that the specification fixes.
 */
import { describe, expect, it } from 'vitest';
import { errorTable } from './errors.ts';
import { buildOpenApi } from './openapi.ts';
import { impliedErrors, operation, operationIds } from './routes.ts';

const table = operationIds.map((id) => ({ id, ...operation(id) }));

describe('operations', () => {
  it('include every address of the specification', () => {
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

  it('have each method and path once, whatever the parameters are called', () => {
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
    ['startExport', 'listExports', 'readExport', 'deleteExport', 'cancelExport', 'retryExport'],
    ['createBundle', 'openBundle', 'openLatestBundle', 'followExport', 'followExports'],
    ['readReport', 'readManifest', 'createPreview', 'compareExports', 'readSigningKey'],
    ['readPageChange', 'compareFindings', 'readInsights'],
    ['createAgentJob', 'listAgentJobs', 'readAgentJob', 'messageAgentJob', 'followAgentJob'],
    ['readAgentDiff', 'readAgentTranscript', 'cancelAgentJob', 'retryAgentJob'],
    ['archiveAgentJob', 'unarchiveAgentJob', 'listAllAgentJobs', 'followAgentJobs'],
    ['listProjects', 'readProject', 'updateProject', 'deleteProject'],
    ['listKeys', 'createKey', 'rollKey', 'revokeKey'],
    ['listDeployments', 'reportDeployment', 'readDeployment', 'rollbackDeployment'],
    ['resumeDeployment', 'cancelInstruction', 'deleteDeployment'],
    ['readMe', 'signOut', 'changePassword'],
  ].flat();

  /** A closed list: whoever adds an operation decides whether it stays within one project. */
  it('are open to a key of one project where they stay within it', () => {
    const open = table.filter(({ scope, organizationWide }) => scope !== null && !organizationWide);
    expect(open.map(({ id }) => id).toSorted()).toEqual(ofOneProject.toSorted());
  });

  it('refuse a key of one project otherwise, and say so', () => {
    const refusing = table.filter(({ organizationWide }) => organizationWide);
    for (const { id } of refusing) expect(impliedErrors(operation(id))).toContain('scope_missing');
    expect(JSON.stringify(buildOpenApi()).match(/limited to one project is refused/g)).toHaveLength(
      refusing.length,
    );
  });

  /** What a person does about their own session. */
  const ofOneself = ['setUp', 'signIn', 'signOut', 'acceptInvitation', 'changePassword'];

  /** It makes a link of what may be read anyway. */
  const ofReading = ['createPreview'];
  const harmless = new Set([...ofOneself, ...ofReading]);

  it.each(table.filter(({ id, method }) => method !== 'get' && !harmless.has(id)))(
    '$id changes something: it needs a write scope',
    (change) => {
      expect(change.scope).toMatch(/:(?:write|report)$/);
    },
  );

  it.each(table.filter(({ method, keepsNoAnswer }) => method === 'post' && !keepsNoAnswer))(
    '$id tells how to repeat it safely',
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
      if (id !== 'readSetup' && !ofOneself.includes(id)) expect(tag).toBe('Health');
    },
  );

  it('ask for the enterprise plan in the whole static export area and nowhere else', () => {
    const inArea = table.filter(({ path }) => path.startsWith('/v1/static-export/'));
    expect(table.filter(({ plan }) => plan === 'enterprise')).toEqual(inArea);
    expect(inArea.length).toBeGreaterThan(10);
  });
});

describe('impliedErrors', () => {
  it('warns of a refused address wherever a key is used', () => {
    expect(impliedErrors(operation('readMe'))).toContain('address_refused');
    expect(impliedErrors(operation('readExport'))).toContain('address_refused');
  });

  it('warns of storage that is away wherever something is looked up', () => {
    expect(impliedErrors(operation('readMe'))).toContain('storage_unavailable');
    expect(impliedErrors(operation('openBundle'))).toContain('storage_unavailable');
  });

  it('adds only conditions where no key is used', () => {
    expect(impliedErrors(operation('readHealth'))).toEqual(['precondition_failed']);
  });

  it('asks no scope of an operation for every key', () => {
    expect(impliedErrors(operation('readMe'))).not.toContain('scope_missing');
  });
});
