import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/temporary-resources.ts';
import { readSettings } from '../settings/settings.ts';

test('without a setting there is no assistant, and a model alone does not turn it on', () => {
  expect(readSettings({ environment: {} }).answers).toBeNull();
  const environment = { ASSISTANT_MODEL_URL: 'http://127.0.0.1:8000/v1', ASSISTANT_MODEL: 'small' };
  expect(readSettings({ environment }).answers).toBeNull();
});

test('the settings of a model are read with its key', () => {
  const keyFile = join(temporaryFolder('key'), 'model.key');
  writeFileSync(keyFile, 'sk-secret\n');
  const environment = {
    ASSISTANT_ENABLED: 'on',
    ASSISTANT_MODEL_URL: 'http://127.0.0.1:8000/v1/',
    ASSISTANT_MODEL: 'small',
    ASSISTANT_KEY_FILE: keyFile,
  };
  expect(readSettings({ environment }).answers).toMatchObject({
    model: {
      provider: 'openai-compatible',
      url: 'http://127.0.0.1:8000/v1',
      name: 'small',
      key: 'sk-secret',
    },
    maxQuestionsPerHour: 60,
  });
});

test('an address without a model is refused', () => {
  const environment = { ASSISTANT_ENABLED: 'on', ASSISTANT_MODEL_URL: 'http://127.0.0.1:8000/v1' };
  expect(() => readSettings({ environment })).toThrow('assistant.modelUrl is set without assistant.model.');
});
