import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { cleanUp } from '../../../test/support/test-context.ts';
import { openS3Blobs } from './s3.ts';

test('every request to the bucket is measured with its operation and outcome', async () => {
  process.env['AWS_ACCESS_KEY_ID'] ??= 'test';
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'test';
  const statuses = [404, 500, 200];
  const server = createServer((_request, response) => {
    response.writeHead(statuses.shift() ?? 200, { 'content-length': '0' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const requests: { operation: string; seconds: number; failed: boolean }[] = [];
  const blobs = await openS3Blobs(`s3://bundles?endpoint=http://127.0.0.1:${port}`, {
    s3Requested: (request) => void requests.push(request),
  });
  expect(await blobs.stat('se_1/1/bundle.tar.gz')).toBeUndefined();
  expect(await blobs.stat('se_1/1/bundle.tar.gz')).toBeDefined();
  expect(requests.map(({ operation, failed }) => [operation, failed])).toEqual([
    ['HeadObject', false],
    ['HeadObject', true],
    ['HeadObject', false],
  ]);
  expect(requests.every(({ seconds }) => seconds > 0)).toBe(true);
});
