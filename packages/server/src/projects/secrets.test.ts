import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { newPgpKey, newSshKey, signingPrograms } from '../../../../test/signing-keys.ts';
import {
  composeForTest,
  createTenant,
  createTestProject,
  everythingKept,
  jsonBody,
  serveForTest,
  type Tenant,
  type TestContext,
} from '../../test/support/test-context.ts';
import { redactorOf } from '../agent/settings.ts';
import { readAgentSecrets, readAgentSettings, readSigningKey } from './agent-settings.ts';
import { readProject, updateProject } from './projects.ts';
import { readSecret, writeSecret } from './secrets.ts';

const secret = 'sk-a-secret-never-shown-0123456789';
const token = 'a-token-never-shown-9876543210';
const model = { provider: 'openai', url: 'https://models.example.com/v1', name: 'writer-1' } as const;
const forge = { kind: 'gitea', apiBase: 'https://git.example.com/api/v1' } as const;
const credential = { type: 'token', token } as const;
const repository = 'https://git.example.com/harbour/docs.git';

let context: TestContext;
let tenant: Tenant;
let projectId: string;

beforeEach(async () => {
  context = await composeForTest();
  tenant = await createTenant(context);
  projectId = (await createTestProject(context, tenant, { repository })).id;
});

const change = (agent: Parameters<typeof updateProject>[1]['change']['agent'], source?: string) =>
  updateProject(context, {
    projectId,
    change: { agent, ...(source === undefined ? {} : { source: { repository: source } }) },
    actor: tenant.actor,
    allowLocal: false,
  });

describe('a secret', () => {
  test('can be written, read, replaced and deleted', async () => {
    const place = { projectId, name: 'model.key' } as const;
    expect(await readSecret(context, place)).toBeNull();
    await writeSecret(context, place, secret);
    expect(await readSecret(context, place)).toBe(secret);
    await writeSecret(context, place, 'ü'.repeat(1000));
    expect(await readSecret(context, place)).toBe('ü'.repeat(1000));
    await writeSecret(context, place, null);
    expect(await readSecret(context, place)).toBeNull();
  });

  test('is sealed differently each time and is in no file of the data folder', async () => {
    const sealed = async () => {
      await writeSecret(context, { projectId, name: 'model.key' }, secret);
      return (await context.database.selectFrom('secrets').select('sealed').executeTakeFirstOrThrow()).sealed;
    };
    expect(await sealed()).not.toBe(await sealed());
    const kept = everythingKept(context);
    expect(kept).not.toContain(secret);
    expect(kept).not.toContain(Buffer.from(secret).toString('base64').slice(0, 40));
  });

  test.each(['project', 'name', 'key', 'bytes'] as const)('does not open under another %s', async (what) => {
    await writeSecret(context, { projectId, name: 'model.key' }, secret);
    const other = await createTestProject(context, tenant);
    const row = await context.database.selectFrom('secrets').selectAll().executeTakeFirstOrThrow();
    if (what === 'project') {
      await context.database
        .insertInto('secrets')
        .values({ ...row, project_id: other.id })
        .execute();
      await expect(readSecret(context, { projectId: other.id, name: 'model.key' })).rejects.toThrow();
    }
    if (what === 'name') {
      await context.database
        .insertInto('secrets')
        .values({ ...row, name: 'forge.credential' })
        .execute();
      await expect(readSecret(context, { projectId, name: 'forge.credential' })).rejects.toThrow();
    }
    if (what === 'key') {
      const stolen = { ...context, secrets: { ...context.secrets, sealKey: Buffer.alloc(32) } };
      await expect(readSecret(stolen, { projectId, name: 'model.key' })).rejects.toThrow();
    }
    if (what === 'bytes') {
      const last = row.sealed.at(-2) === 'A' ? 'B' : 'A';
      const sealed = `${row.sealed.slice(0, -2)}${last}${row.sealed.slice(-1)}`;
      await context.database.updateTable('secrets').set({ sealed }).execute();
      await expect(readSecret(context, { projectId, name: 'model.key' })).rejects.toThrow();
    }
  });

  test('is deleted with its project', async () => {
    await change({ model: { ...model, key: secret } });
    await context.database.deleteFrom('projects').where('id', '=', projectId).execute();
    expect(await context.database.selectFrom('secrets').selectAll().execute()).toEqual([]);
  });
});

describe('settings for agent jobs', () => {
  test('show the names of extra headers and never their values', async () => {
    const headers = { 'x-team': secret };
    const shown = { ...model, key: { set: false }, headers: { 'x-team': { set: true } } };
    const changed = await change({ model: { ...model, headers, temperature: 0.2 } });
    expect(changed.agent.model).toEqual({ ...shown, temperature: 0.2 });
    expect((await readAgentSecrets(context, projectId)).modelHeaders).toEqual(headers);
    expect(everythingKept(context)).not.toContain(secret);
  });

  test('keep extra headers for the same host only', async () => {
    const read = async () => (await readAgentSecrets(context, projectId)).modelHeaders;
    await change({ model: { ...model, headers: { 'x-team': secret } } });
    await change({ model: { ...model, name: 'writer-2' } });
    expect(await read()).toEqual({ 'x-team': secret });
    const moved = await change({ model: { ...model, url: 'https://other.example.com/v1' } });
    expect(moved.agent.model).not.toHaveProperty('headers');
    expect(await read()).toEqual({});
    await change({ model: { ...model, headers: { 'x-team': secret } } });
    expect((await change({ model: { ...model, headers: null } })).agent.model).not.toHaveProperty('headers');
    expect(await read()).toEqual({});
  });

  test('show only whether secrets are set, also in the audit log', async () => {
    const service = await serveForTest(context);
    const answer = await service.request(`/v1/projects/${projectId}`, {
      ...jsonBody({ agent: { model: { ...model, key: secret }, forge: { ...forge, credential } } }),
      method: 'PATCH',
      key: tenant.key.key,
    });
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({
      agent: {
        model: { ...model, key: { set: true } },
        forge: { ...forge, credential: { set: true } },
      },
    });
    const log = JSON.stringify(await context.database.selectFrom('audit_log').selectAll().execute());
    expect(log).toContain('agent.model');
    for (const hidden of [secret, token]) {
      expect(text).not.toContain(hidden);
      expect(log).not.toContain(hidden);
      expect(everythingKept(context)).not.toContain(hidden);
    }
  });

  test('can be changed partially', async () => {
    await change({ model: { ...model, key: secret }, instructions: 'Be brief.', limits: { steps: 5 } });
    await change({ protectedPaths: ['legal'], limits: { minutes: 3 } });
    await change({ allowedPaths: ['snippets/*.jsx'], allowedConfigKeys: ['redirects'] });
    expect(await readAgentSettings(context, projectId)).toEqual({
      engine: null,
      model,
      forge: null,
      git: { branch: null, author: null, committer: null, coAuthors: [], signingKey: null },
      pullRequest: { labels: [], reviewers: [], teams: [], assignees: [] },
      limits: { minutes: 3 },
      protectedPaths: ['legal'],
      allowedPaths: ['snippets/*.jsx'],
      allowedConfigKeys: ['redirects'],
      instructions: 'Be brief.',
      contextRepositories: [],
      requireEvidence: null,
    });
    await change({ model: null, instructions: null });
    expect(await readAgentSettings(context, projectId)).toMatchObject({ model: null, instructions: null });
    expect((await readAgentSecrets(context, projectId)).modelKey).toBeNull();
  });

  test('change single fields of commits and pull requests', async () => {
    const ada = { name: 'Ada', email: 'ada@example.com' };
    await change({ git: { branch: 'docs/{slug}', author: ada }, pullRequest: { labels: ['docs'] } });
    await change({ git: { coAuthors: [ada] }, pullRequest: { reviewers: ['ada'], labels: [] } });
    const { agent } = await change({ git: { author: null }, limits: { steps: 5 } });
    const signingKey = { set: false, format: null, publicKey: null };
    const git = { branch: 'docs/{slug}', author: null, committer: null, coAuthors: [ada], signingKey };
    expect(agent.git).toEqual(git);
    expect(agent.pullRequest).toEqual({ labels: [], reviewers: ['ada'], teams: [], assignees: [] });
    expect((await change({ git: null, pullRequest: null })).agent).toMatchObject({
      git: { branch: null, coAuthors: [] },
      pullRequest: { reviewers: [] },
    });
  });

  test.skipIf(!signingPrograms).each([
    ['ssh', newSshKey],
    ['openpgp', newPgpKey],
  ])('show the public part of a signing key of the format %s and never the key', async (format, make) => {
    const key = make();
    const service = await serveForTest(context);
    const patch = async (git: object) => {
      const init = { ...jsonBody({ agent: { git } }), method: 'PATCH', key: tenant.key.key };
      const answer = await service.request(`/v1/projects/${projectId}`, init);
      const text = await answer.text();
      expect(text).not.toContain('PRIVATE KEY');
      return (JSON.parse(text) as { agent: { git: { signingKey: unknown } } }).agent.git.signingKey;
    };
    const shown = await patch({ signingKey: key });
    expect(shown).toMatchObject({ set: true, format, publicKey: expect.any(String) as string });
    expect(await readSigningKey(context, projectId)).toBe(key);
    expect(await patch({ branch: 'docs/{job}' })).toEqual(shown);
    expect(await readSigningKey(context, projectId)).toBe(key);
    const kept = everythingKept(context);
    for (const hidden of key.split('\n').filter((line) => line.length > 40))
      expect(kept).not.toContain(hidden);
    expect(readdirSync(join(context.config.dataDir, 'work'))).toEqual([]);
    expect((await redactorOf(context, projectId))(`The key is ${key}`)).not.toContain('PRIVATE KEY');
    const none = { set: false, format: null, publicKey: null };
    expect(await patch({ signingKey: null })).toEqual(none);
    expect(await readSigningKey(context, projectId)).toBeNull();
  });

  test.skipIf(!signingPrograms)(
    'refuse a signing key with a passphrase and keep the stored one',
    async () => {
      const key = newSshKey();
      await change({ git: { signingKey: key } });
      const locked = newSshKey({ passphrase: 'secret' });
      await expect(change({ git: { signingKey: locked } })).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('protected by a passphrase') as string,
        details: [{ path: 'agent.git.signingKey' }],
      });
      expect(await readSigningKey(context, projectId)).toBe(key);
      expect((await change({ git: null })).agent.git.signingKey.set).toBe(false);
      expect(await readSigningKey(context, projectId)).toBeNull();
    },
  );

  test('keep a key only for the same host', async () => {
    await change({ model: { ...model, key: secret } });
    await change({ model: { ...model, url: 'https://models.example.com/v2', name: 'writer-2' } });
    expect((await readAgentSecrets(context, projectId)).modelKey).toBe(secret);
    await change({ model: { ...model, url: 'https://other.example/v1' } });
    expect((await readAgentSecrets(context, projectId)).modelKey).toBeNull();
  });

  test('keep a credential only for the same forge and host', async () => {
    const kept = async () => (await readAgentSecrets(context, projectId)).forgeCredential;
    await change({ forge: { ...forge, credential } });
    await change({ forge }, 'https://git.example.com/harbour/another.git');
    expect(await kept()).toEqual(credential);
    await change({ forge: { ...forge, fork: 'ada' } });
    expect(await kept()).toEqual(credential);
    await change({ forge: { ...forge, apiBase: 'https://other.example/api/v1' } });
    expect(await kept()).toBeNull();
    await change({ forge: { ...forge, credential } });
    await change({}, 'https://other.example/harbour/docs.git');
    expect(await kept()).toBeNull();
    const { agent } = await readProject(context, { projectId, reach: tenant.actor });
    expect(agent.forge).toEqual({ ...forge, fork: null, credential: { set: false } });
  });

  test('keep the credential of a context repository for the same name and host only', async () => {
    const code = { name: 'api', repository: 'https://code.example.com/harbour/api.git' };
    const kept = async () => (await readAgentSecrets(context, projectId)).contextCredentials;
    const { agent } = await change({ contextRepositories: [{ ...code, credential }] });
    const shown = { ...code, ref: null, paths: [], credential: { set: true } };
    expect(agent.contextRepositories).toEqual([shown]);
    expect((await redactorOf(context, projectId))(`The token is ${token}`)).not.toContain(token);
    expect(everythingKept(context)).not.toContain(token);
    const other = 'https://code.example.com/harbour/other.git';
    await change({ contextRepositories: [{ ...code, repository: other, paths: ['src/'] }] });
    expect(await kept()).toEqual([credential]);
    await change({ contextRepositories: [{ ...code, repository: 'https://other.example/api.git' }] });
    expect(await kept()).toEqual([]);
    await change({ contextRepositories: [{ ...code, credential }] });
    await change({ contextRepositories: [] });
    expect(await context.database.selectFrom('secrets').select('name').execute()).toEqual([]);
  });

  test.each([
    ['https://user:secret@code.example.com/api.git', [], 'repository'],
    ['/srv/code', [], 'repository'],
    ['https://code.example.com/api.git', ['src/.git'], 'paths'],
  ])('refuse the context repository %s with the paths %j', async (address, paths, field) => {
    const given = [{ name: 'api', repository: address, paths }];
    await expect(change({ contextRepositories: given })).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: `agent.contextRepositories.0.${field}` }],
    });
  });
});
