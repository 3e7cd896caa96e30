/** A process that was started ahead is the next one that is taken, and renders as any other. */
import { expect, test } from 'vitest';
import { fixture, renderFolder } from '../../test/support/render-fixture.ts';
import { prepareRenderProcesses, startRenderProcess } from './start-process.ts';

test('what was prepared is taken, once', () => {
  prepareRenderProcesses(1);
  const other = startRenderProcess('/no/such/program.js');
  const [taken, next] = [startRenderProcess(), startRenderProcess()];
  const pids = [taken, other, next].map(({ pid }) => pid ?? 0);
  expect(pids).toEqual(pids.toSorted((a, b) => a - b));
  for (const child of [taken, other, next]) child.kill('SIGKILL');
});

test('what was prepared renders pages', async () => {
  prepareRenderProcesses(1);
  const { files, codes } = await renderFolder(fixture('navigation/anchors-groups'));
  expect(codes).not.toContain('page_failed');
  expect(files.size).toBeGreaterThan(0);
});
