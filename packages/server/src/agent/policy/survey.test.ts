import { expect, it } from 'vitest';
import { surveyTree } from './survey.ts';

it('the survey counts files and lines and lists hosts and included settings files', async () => {
  const files: Record<string, string> = {
    'docs.json': '{"navigation":{"$ref":"parts/nav.json"},"logo":{"$ref":"../../outside.json"}}',
    'parts/nav.json': '{"tabs":[{"$ref":"tab.json"}]}',
    'parts/tab.json': '{"$ref":"nav.json"}',
    'a.mdx': 'One https://a.dev/x\n\n[b](//b.dev/y)\n',
    'logo.png': 'https://not.text',
  };
  const survey = await surveyTree({
    list: () =>
      Promise.resolve(Object.entries(files).map(([path, text]) => ({ path, sizeBytes: text.length }))),
    read: (path) =>
      path.startsWith('..')
        ? Promise.reject(new Error('outside'))
        : Promise.resolve(files[path] === undefined ? undefined : new TextEncoder().encode(files[path])),
  });
  expect(survey).toEqual({
    fileCount: 5,
    lineCount: 6,
    hosts: new Set(['a.dev', 'b.dev']),
    configParts: new Map([
      ['parts/nav.json', 'navigation'],
      ['parts/tab.json', 'navigation.tabs'],
    ]),
  });
});

it('deeply nested settings do not stop the survey', async () => {
  const text = `{"navigation":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
  const survey = await surveyTree({
    list: () => Promise.resolve([{ path: 'docs.json', sizeBytes: text.length }]),
    read: (path) => Promise.resolve(path === 'docs.json' ? new TextEncoder().encode(text) : undefined),
  });
  expect(survey).toMatchObject({ fileCount: 1, configParts: new Map() });
});
