import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { writePatienceSeconds } from '../adapters/blobs/s3-client.ts';
import { heartbeatSeconds } from '../adapters/queue/pg-boss.ts';
import { retryTable, silenceSeconds, uploadPatienceSeconds } from './retries.ts';

test('the manual lists every retry path with its delay and cap, as the code has them', () => {
  const page = readFileSync(new URL('../../../../docs/operate/durability.mdx', import.meta.url), 'utf8');
  expect(page).toContain(retryTable());
});

test('the adapters keep to the delays of the table', () => {
  expect([heartbeatSeconds, writePatienceSeconds]).toEqual([silenceSeconds, uploadPatienceSeconds]);
});
