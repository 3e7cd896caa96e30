import { expect, test } from 'vitest';
import { composeForTest, createTenant, createTestProject } from '../../test/support/test-context.ts';
import { updateProject } from '../projects/projects.ts';
import { readModel, redactorOf } from './settings.ts';

const headers = { 'x-team': 'header-value-never-shown' };
const options = { contextTokens: 32_768, temperature: 0.2, idleSeconds: 90, body: { top_k: 20 } };

test('the model of a project has its options and headers, whose values are masked in texts', async () => {
  const context = await composeForTest();
  const tenant = await createTenant(context);
  const { id: projectId } = await createTestProject(context, tenant);
  const model = { provider: 'openai', url: 'https://models.example.com/v1', name: 'writer-1' } as const;
  await updateProject(context, {
    projectId,
    change: { agent: { model: { ...model, ...options, headers } } },
    actor: tenant.actor,
    allowLocal: false,
  });
  expect(await readModel(context, projectId)).toEqual({ ...model, ...options, headers, key: null });
  const redact = await redactorOf(context, projectId);
  expect(redact('sent header-value-never-shown')).toBe('sent [secret removed]');
});

test('the model of the installation has its options and headers, whose values are masked in texts', async () => {
  const context = await composeForTest({
    MODEL_URL: 'https://models.example.com/v1',
    MODEL_NAME: 'writer-1',
    MODEL_HEADERS: JSON.stringify(headers),
    MODEL_OPTIONS: JSON.stringify(options),
  });
  const { id: projectId } = await createTestProject(context, await createTenant(context));
  expect(await readModel(context, projectId)).toMatchObject({ name: 'writer-1', ...options, headers });
  const redact = await redactorOf(context, projectId);
  expect(redact('sent header-value-never-shown')).toBe('sent [secret removed]');
});
