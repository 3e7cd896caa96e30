/** The monitor detects unexpected processes and connections; otherwise tests that use it would prove nothing. */
import { spawn } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder, writeFiles } from '../../service.ts';
import { contentsOf, differences, startCanary, watchProcesses } from './process-monitor.ts';

test('an unexpected process, grandchild and connection are noticed', async () => {
  const canary = await startCanary();
  const port = Number(canary.host.split(':')[1]);
  const program = `
    const { spawn } = require('node:child_process');
    spawn('/bin/sh', ['-c', 'sleep 60; true']);
    const connect = () => require('node:net').connect(${port}, '127.0.0.1').on('error', () => {});
    setInterval(connect, 5);
  `;
  const child = spawn(process.execPath, ['-e', program], { detached: true });
  const watch = watchProcesses({ pid: child.pid ?? 0, ports: [1] });
  const problems = () => [...watch.problems].join('\n');
  try {
    await expect.poll(problems, { timeout: 20_000 }).toMatch(/started: \/bin\/sh -c sleep/);
    await expect.poll(problems, { timeout: 20_000 }).toMatch(/started: sleep 60/);
    await expect.poll(problems, { timeout: 20_000 }).toContain(`(port ${port})`);
    await expect.poll(canary.visits, { timeout: 20_000 }).toBeGreaterThan(0);
  } finally {
    watch.stop();
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await canary.close();
  }
});

test('a file that was added, changed or turned into a link is noticed', () => {
  const folder = temporaryFolder('fence');
  writeFiles(folder, { 'a/kept': '1', 'a/changed': '1', 'work/ours': '1' });
  const look = () => contentsOf(folder, (path) => path.startsWith('work'));
  const before = look();
  writeFileSync(join(folder, 'a/changed'), '2');
  writeFileSync(join(folder, 'work/ours'), '2');
  symlinkSync('/etc', join(folder, 'a/link'));
  expect(differences(before, look()).toSorted()).toEqual(['a/changed', 'a/link']);
});
