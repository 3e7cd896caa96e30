import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../testing.ts';
import { GrowingFile } from './growing-file.ts';

it('has the hash of all that was written, whenever that was', async () => {
  const path = join(temporaryFolder('growing'), 'bundle');
  writeFileSync(path, '');
  const file = new GrowingFile(path);
  const parts = [randomBytes(3_000_000), randomBytes(10), randomBytes(1_100_000)];
  for (const part of parts) {
    appendFileSync(path, part);
    await after(30);
  }
  const last = randomBytes(500);
  appendFileSync(path, last);
  const whole = Buffer.concat([...parts, last]);
  expect(await file.sha256(whole.length)).toBe(createHash('sha256').update(whole).digest('hex'));
});

it('refuses a file that is shorter than what was packed', async () => {
  const path = join(temporaryFolder('growing'), 'bundle');
  writeFileSync(path, 'short');
  await expect(new GrowingFile(path).sha256(6)).rejects.toThrow('has 5 bytes where 6 were packed');
});

it('tells why a file cannot be read', async () => {
  const path = join(temporaryFolder('growing'), 'nothing');
  await expect(new GrowingFile(path).sha256(1)).rejects.toThrow('ENOENT');
});
