import { expect, test } from 'vitest';
import { manifestBytes } from './manifest.ts';

const file = (path: string) => ({ path, sizeBytes: 1, sha256: 'a'.repeat(64) });
const facts = { engineVersion: '1', version: null, commit: null, committedAt: null, pages: 1 };

function manifestOf(...paths: string[]): Record<string, unknown> {
  const bytes = manifestBytes({ ...facts, files: paths.map(file) });
  return JSON.parse(bytes.toString()) as Record<string, unknown>;
}

test('the manifest lists the custom scripts of an export', () => {
  const scripts = ['_docyard/scripts/b.js', '_docyard/scripts/a.js'];
  expect(manifestOf('index.html', ...scripts)['customScripts']).toEqual(scripts.toSorted());
  expect(manifestOf('index.html')).not.toHaveProperty('customScripts');
});
