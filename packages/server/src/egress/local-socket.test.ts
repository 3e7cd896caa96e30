import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/test-context.ts';
import { listenIn } from './local-socket.ts';

test('a socket is created in a folder with a long path and removed on close', async () => {
  const short = temporaryFolder('s');
  const folder = join(short, 'long'.repeat(50));
  mkdirSync(folder);
  const server = createServer((connection) => connection.write('Hello.'));
  const socket = await listenIn(folder, 'a.sock', server);
  expect(existsSync(join(folder, 'a.sock'))).toBe(true);
  symlinkSync(folder, join(short, 'l'));
  const connection = connect(join(short, 'l', 'a.sock'));
  const heard = await new Promise((resolve) => connection.once('data', (data) => resolve(String(data))));
  expect(heard).toBe('Hello.');
  const ended = new Promise((resolve) => connection.once('close', resolve));
  await socket.close();
  await ended;
  expect(existsSync(join(folder, 'a.sock'))).toBe(false);
});
