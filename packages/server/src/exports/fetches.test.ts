/** A sandboxed process without a network requests documents of other hosts from the server, within limits. */
import { expect, test } from 'vitest';
import { EgressError } from '../egress/addresses.ts';
import { temporaryFolder, writeFiles } from '../../test/support/test-context.ts';
import { FetchRequests } from './fetch-requests.ts';
import { type Fetch, answerFetches } from './fetches.ts';
import type { Fetched } from './messages.ts';
import { runInProcess } from './process.ts';

const never = new AbortController().signal;

/** Both sides in one process. */
function joined(fetch: Fetch): FetchRequests {
  const answer = answerFetches(fetch, never, (fetched) => asking.settle(fetched));
  const asking: FetchRequests = new FetchRequests((message) => answer(message));
  return asking;
}

test('a fetch returns the document or the reason why it failed', async () => {
  const asking = joined((address) => {
    if (address.endsWith('/a')) return Promise.resolve(new TextEncoder().encode('text'));
    return Promise.reject(
      address.endsWith('/b')
        ? new EgressError('refused', 'It is private.', 'List it.')
        : new Error('inner detail'),
    );
  });
  expect(new TextDecoder().decode(await asking.fetch('https://x.test/a'))).toBe('text');
  await expect(asking.fetch('https://x.test/b')).rejects.toThrow('It is private. List it.');
  await expect(asking.fetch('https://x.test/c')).rejects.toThrow('the fetch failed');
});

test('too many requests and too many bytes are refused', async () => {
  let fetched = 0;
  const many = joined(() => Promise.resolve(new Uint8Array((fetched += 1))));
  const ends = await Promise.allSettled(Array.from({ length: 150 }, () => many.fetch('https://x.test/')));
  expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(50);
  expect(fetched).toBe(100);
  const large = joined(() => Promise.resolve(new Uint8Array(60_000_000)));
  await large.fetch('https://x.test/');
  await expect(large.fetch('https://x.test/')).rejects.toThrow('too large');
  // Images have separate limits.
  await large.fetch('https://x.test/', 'picture');
  await expect(large.fetch('https://x.test/', 'picture')).rejects.toThrow('too large');
  await expect(large.fetch('https://x.test/', 'font')).rejects.toThrow(
    'The fonts of this site are too large',
  );
});

test('the number of concurrent fetches is limited', async () => {
  const answers: Fetched[] = [];
  const open: (() => void)[] = [];
  const answer = answerFetches(
    () => new Promise((resolve) => open.push(() => resolve(new Uint8Array()))),
    never,
    (fetched) => answers.push(fetched),
  );
  for (let id = 0; id < 15; id++) answer({ type: 'fetch', id, kind: 'picture', address: 'https://x.test/' });
  expect(open).toHaveLength(12);
  for (let at = 0; at < 15; at++) {
    await expect.poll(() => open.length).toBeGreaterThan(at);
    open[at]?.();
  }
  await expect.poll(() => answers.length).toBe(15);
});

test('the process that reads a site requests its remote API descriptions', async () => {
  const folder = temporaryFolder();
  const address = 'https://specs.example.com/openapi.json';
  writeFiles(folder, {
    'docs.json': JSON.stringify({
      name: 'Site',
      theme: 'mint',
      colors: { primary: '#0f766e' },
      navigation: {
        groups: [
          { group: 'API', openapi: address },
          { group: 'Guide', pages: ['index'] },
        ],
      },
    }),
    'index.mdx': '# Home',
  });
  const asked: string[] = [];
  const description = {
    openapi: '3.1.0',
    info: { title: 'Boats', version: '1' },
    paths: { '/boats': { get: { summary: 'List boats', responses: { 200: { description: 'ok' } } } } },
  };
  const answer = await runInProcess(
    { type: 'unknown-paths', folder, paths: ['index', 'nowhere'] },
    'unknown-paths',
    {
      signal: never,
      memoryMegabytes: 256,
      fetch: (from) => {
        asked.push(from);
        return Promise.resolve(new TextEncoder().encode(JSON.stringify(description)));
      },
    },
  );
  expect(asked).toEqual([address]);
  expect(answer.paths).toEqual(['nowhere']);
});
