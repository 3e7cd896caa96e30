import { afterAll, beforeAll, expect, test } from 'vitest';
import { EditedCorpus, edits } from '../bench/edited-corpus.ts';
import { startService, type Service } from './service.ts';

let service: Service;
let corpus: EditedCorpus;

beforeAll(async () => {
  service = await startService({ sample: false });
  corpus = new EditedCorpus(service);
  await corpus.start(100);
});
afterAll(() => service.stop());

test('a sentence in one page of a hundred: under one per cent of the bundle, and the same bytes in the end', async () => {
  const { fullBytes, deltaBytes, isSame, diff } = await corpus.apply(edits['one sentence of one page']);
  expect(isSame).toBe(true);
  expect(deltaBytes / fullBytes).toBeLessThan(0.01);
  expect(diff.pages).toMatchObject({ added: [], removed: [], moved: [], restyled: [] });
  expect(diff.pages.changed).toHaveLength(1);
});
