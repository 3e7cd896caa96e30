import { expect, test } from 'vitest';
import { readInstructions } from './prepare.ts';

const read = (files: Record<string, string>, ofProject: string | null = null) =>
  readInstructions({ readFile: async (path) => files[path], ofProject });

test('a project without instructions gets none', async () => {
  expect(await read({})).toBeNull();
  expect(await read({ 'AGENTS.md': ' \n' }, '')).toBeNull();
});

test('the file in .docs wins, and the instructions of the project come first', async () => {
  expect(await read({ 'AGENTS.md': 'General.' })).toBe('General.');
  expect(await read({ 'AGENTS.md': 'General.', '.docs/AGENTS.md': 'Docs.' })).toBe('Docs.');
  expect(await read({ 'AGENTS.md': 'General.' }, 'Be brief.')).toBe('Be brief.\n\nGeneral.');
});

test('a long file is truncated with a note', async () => {
  const text = await read({ 'AGENTS.md': 'x'.repeat(50_000) });
  expect(text).toHaveLength(16_000 + '\n[Truncated at 16000 characters.]'.length);
  expect(text).toContain('Truncated');
});
