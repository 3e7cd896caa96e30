import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type Service } from '../service.ts';
import { largeCounts, seed } from './seed.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

test('the seeded projects, exports and keys are listed by the API', async () => {
  const { client } = service;
  const { projects, exportIds, keyIds } = await seed(service);

  expect([projects.length, exportIds.length, keyIds.length]).toEqual(Object.values(largeCounts));
  const [newest] = (await client.call('listProjects', { query: { limit: 1 } })).data;
  expect(newest).toMatchObject(projects.at(-1) as object);
  const [exported] = (await client.call('listExports', { query: { limit: 1 } })).data;
  expect(exported?.jobId).toBe(exportIds.at(-1));
  expect(exported?.failure?.code).toBe('canceled');
  const [key] = (await client.call('listKeys', { query: { limit: 1 } })).data;
  expect(key?.id).toBe(keyIds.at(-1));
});
