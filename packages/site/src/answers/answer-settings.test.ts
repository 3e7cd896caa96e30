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

test('an embeddings endpoint needs no model that answers, and has its own key', () => {
  const keyFile = join(temporaryFolder('key'), 'embeddings.key');
  writeFileSync(keyFile, 'sk-embeddings\n');
  const environment = {
    ASSISTANT_ENABLED: 'on',
    ASSISTANT_EMBEDDINGS_URL: 'http://127.0.0.1:8001/v1/',
    ASSISTANT_EMBEDDINGS_MODEL: 'bge-m3',
    ASSISTANT_EMBEDDINGS_KEY_FILE: keyFile,
  };
  expect(readSettings({ environment }).answers).toMatchObject({
    model: null,
    embeddings: { url: 'http://127.0.0.1:8001/v1', name: 'bge-m3', key: 'sk-embeddings' },
  });
});

test.each([
  [
    { ASSISTANT_EMBEDDINGS_URL: 'http://127.0.0.1:8001/v1' },
    'assistant.embeddingsUrl is set without assistant.embeddingsModel.',
  ],
  [{ ASSISTANT_EMBEDDINGS_URL: 'ftp://127.0.0.1/v1' }, 'must be an http or https address'],
])('embeddings with the settings %j are refused', (given, message) => {
  expect(() => readSettings({ environment: { ASSISTANT_ENABLED: 'on', ...given } })).toThrow(message);
});
