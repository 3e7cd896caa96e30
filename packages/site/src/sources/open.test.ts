import { expect, test } from 'vitest';
import type { Bucket } from './bucket.ts';
import { openSource } from './open.ts';

const signal = new AbortController().signal;

test.each([
  'https://store.example.com/bundle.tar.gz?s=secret',
  'https://docyard.example.com/v1/static-export/latest/bundle?domain=docs.example.com',
  's3://bundles/docs?endpoint=https://store.example.com',
])('%s is not contacted offline', async (address) => {
  const opened: string[] = [];
  const openBucket = (url: string): Promise<Bucket> => {
    opened.push(url);
    return Promise.reject(new Error('A library would connect now.'));
  };
  const attempt = openSource(address, { apiKey: null, offline: true, openBucket }).look(null, signal);
  await expect(attempt).rejects.toMatchObject({
    failure: 'unreachable',
    message: expect.stringMatching(/OFFLINE is on: \S+\.example\.com is not contacted\./),
  });
  await expect(attempt).rejects.not.toThrow('secret');
  expect(opened).toEqual([]);
});

test('a bucket of this machine is opened', async () => {
  const openBucket = (): Promise<Bucket> => Promise.reject(new Error('opened'));
  const address = 's3://bundles?endpoint=http://127.0.0.1:9000';
  const source = openSource(address, { apiKey: null, offline: true, openBucket });
  await expect(source.look(null, signal)).rejects.toThrow('opened');
});
