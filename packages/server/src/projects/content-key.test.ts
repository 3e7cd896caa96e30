import { beforeEach, describe, expect, test } from 'vitest';
import { contentKeyText, parseContentKey } from '@docyard/bundle';
import type { ContentKey } from '@docyard/api';
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
import { createKey } from '../keys/keys.ts';
import { contentKeyOf } from './content-key.ts';

let context: TestContext;
let tenant: Tenant;
let projectId: string;

beforeEach(async () => {
  context = await composeForTest();
  tenant = await createTenant(context);
  projectId = (await createTestProject(context, tenant)).id;
});

describe('the content key of a project', () => {
  test('is created once, also by simultaneous exports, and differs from that of other projects', async () => {
    const keys = await Promise.all([1, 2, 3].map(() => contentKeyOf(context, projectId)));
    expect(new Set(keys.map(({ keyId }) => keyId)).size).toBe(1);
    const other = await createTestProject(context, tenant);
    expect((await contentKeyOf(context, other.id)).keyId).not.toBe(keys[0]?.keyId);
  });

  test('is stored only sealed', async () => {
    const key = await contentKeyOf(context, projectId);
    const kept = everythingKept(context);
    expect(kept).not.toContain(contentKeyText(key).trim().split(':')[1]);
    expect(kept).not.toContain(key.bytes.toString('base64').slice(0, 40));
  });

  test('is returned to a key with keys:write, without being stored or cached, and recorded', async () => {
    const { request } = await serveForTest(context);
    const read = (key: string) =>
      request(`/v1/projects/${projectId}/content-key`, { ...jsonBody({}), method: 'POST', key });
    const reply = await read(tenant.key.key);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('cache-control')).toContain('no-store');
    const { keyId, contentKey } = (await reply.json()) as ContentKey;
    expect(parseContentKey(contentKey)).toEqual(await contentKeyOf(context, projectId));
    expect(everythingKept(context)).not.toContain(contentKey.split(':')[1]);
    const audit = await context.database.selectFrom('audit_log').selectAll().execute();
    expect(audit.at(-1)).toMatchObject({ action: 'project.read_content_key', object: projectId });
    expect(audit.at(-1)?.details).toContain(keyId);

    const weaker = await createKey(context, {
      name: 'Writer',
      scopes: ['read', 'projects:write', 'exports:write'],
      actor: tenant.actor,
    });
    expect((await read(weaker.key)).status).toBe(403);
  });

  test('of another organization does not exist', async () => {
    const stranger = await createTenant(context);
    const { request } = await serveForTest(context);
    const init = { ...jsonBody({}), method: 'POST', key: stranger.key.key };
    expect((await request(`/v1/projects/${projectId}/content-key`, init)).status).toBe(404);
  });
});
