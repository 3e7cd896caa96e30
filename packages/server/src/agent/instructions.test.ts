import { expect, test } from 'vitest';
import { readInstructions } from './instructions.ts';

const read = (contents: Record<string, string>, ofProject: string | null = null) =>
  readInstructions({
    ofProject,
    files: {
      read: async (path) => contents[path],
      list: async (folder) => Object.keys(contents).filter((path) => path.startsWith(`${folder}/`)),
    },
  });

test('a project without instructions gets none', async () => {
  expect(await read({})).toBeNull();
  expect(await read({ 'AGENTS.md': ' \n' }, '')).toBeNull();
});

test('the instructions of the project come first', async () => {
  expect(await read({ 'AGENTS.md': 'General.' }, 'Be brief.')).toBe('Be brief.\n\nGeneral.');
});

test('the first file with text wins, in the documented order', async () => {
  const order = [
    '.docs/AGENTS.md',
    'AGENTS.md',
    '.mintlify/AGENTS.md',
    'CLAUDE.md',
    '.cursor/rules/style.mdc',
    '.cursorrules',
  ];
  for (const [index, path] of order.entries()) {
    const contents = Object.fromEntries(order.slice(index).map((each) => [each, `From ${each}.`]));
    expect(await read(contents)).toContain(`From ${path}.`);
    expect(await read({ ...contents, ...(index > 0 && { [order[index - 1] ?? '']: '\n' }) })).toContain(
      `From ${path}.`,
    );
  }
});

test('the rules of Cursor are joined by name, with their front matter', async () => {
  const style = '---\ndescription: Style\nglobs: docs/**\n---\n\nUse short words.\n';
  expect(
    await read({
      '.cursor/rules/style.mdc': style,
      '.cursor/rules/api.md': 'Show an example.',
      '.cursor/rules/logo.png': 'PNG',
      '.cursor/rules/empty.mdc': '',
    }),
  ).toBe(
    `Rules of .cursor/rules/api.md:\n\nShow an example.\n\nRules of .cursor/rules/style.mdc:\n\n${style.trim()}`,
  );
});

test('a long file is truncated with a note', async () => {
  const text = await read({ 'AGENTS.md': 'x'.repeat(50_000) });
  expect(text).toHaveLength(16_000 + '\n[Truncated at 16000 characters.]'.length);
  expect(text).toContain('Truncated');
});
