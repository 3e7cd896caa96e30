import { DocyardError } from '@docyard/api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type Service } from '../service.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

const codeOf = (error: unknown) => (error instanceof DocyardError ? [error.status, error.code] : error);

async function addProject(domain: string) {
  const source = { repository: 'https://git.example.com/harbour/docs.git' };
  return service.client.call('createProject', { body: { name: 'Harbour', domain, source } });
}

test('a project refuses a change that is based on an older version, and keeps the newer values', async () => {
  const read = await addProject('versions.example.com');
  const params = { projectId: read.id };
  expect(read.version).toBe(1);
  const first = await service.client.call('updateProject', { params, body: { name: 'Pier', version: 1 } });
  expect(first.version).toBe(2);
  const late = service.client.call('updateProject', { params, body: { name: 'Jetty', version: 1 } });
  expect(codeOf(await late.catch((error: unknown) => error))).toEqual([409, 'version_conflict']);
  expect((await service.client.call('readProject', { params })).name).toBe('Pier');
  const unconditional = await service.client.call('updateProject', { params, body: { name: 'Jetty' } });
  expect([unconditional.name, unconditional.version]).toEqual(['Jetty', 3]);
});

test('of many changes of the same version at the same moment, exactly one is applied', async () => {
  const { id, version } = await addProject('race.example.com');
  const answers = await Promise.allSettled(
    Array.from({ length: 8 }, (_, index) =>
      service.client.call('updateProject', {
        params: { projectId: id },
        body: { name: `Harbour ${index}`, version },
      }),
    ),
  );
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('a webhook refuses a change that is based on an older version', async () => {
  const body = { url: 'https://ci.example.com/docyard' };
  const { id, version } = await service.client.call('createWebhook', { body });
  const params = { webhookId: id };
  await service.client.call('updateWebhook', { params, body: { description: 'Publishes', version } });
  const late = service.client.call('updateWebhook', { params, body: { description: 'Other', version } });
  expect(codeOf(await late.catch((error: unknown) => error))).toEqual([409, 'version_conflict']);
});

test('a change of a user that is based on an older version is refused', async () => {
  const body = { email: 'grace@example.com', role: 'member' } as const;
  const { person: user } = await service.client.call('inviteUser', { body });
  const params = { userId: user.id };
  const { version } = user;
  await service.client.call('updateUser', { params, body: { role: 'viewer', version } });
  const late = service.client.call('updateUser', { params, body: { role: 'admin', version } });
  expect(codeOf(await late.catch((error: unknown) => error))).toEqual([409, 'version_conflict']);
});

test('a change that names nothing but a version is refused as empty', async () => {
  const { id } = await addProject('empty.example.com');
  const change = service.client.call('updateProject', { params: { projectId: id }, body: { version: 1 } });
  expect(codeOf(await change.catch((error: unknown) => error))).toEqual([400, 'invalid_request']);
});
