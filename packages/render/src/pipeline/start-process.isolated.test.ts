import { expect, test } from 'vitest';
import { fixture, renderFolder } from '../../test/support/render-fixture.ts';
import { prepareRenderProcesses, startRenderProcess } from './start-process.ts';

test('a process started ahead is used once', () => {
  prepareRenderProcesses(1);
  const other = startRenderProcess('/no/such/program.js');
  const [taken, next] = [startRenderProcess(), startRenderProcess()];
  const pids = [taken, other, next].map(({ pid }) => pid ?? 0);
  expect(pids).toEqual(pids.toSorted((a, b) => a - b));
  for (const child of [taken, other, next]) child.kill('SIGKILL');
});

test('a process started ahead renders pages', async () => {
  prepareRenderProcesses(1);
  const { files, codes } = await renderFolder(fixture('navigation/anchors-groups'));
  expect(codes).not.toContain('page_failed');
  expect(files.size).toBeGreaterThan(0);
});
