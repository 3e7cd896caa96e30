/** What a rendering process of another user is shown of folders that are private to root. */
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { present, temporaryFolder } from '../../test/support/test-context.ts';
import type { Shelter } from './launch.ts';
import { readableFor } from './readable.ts';

const shelter: Shelter = {
  confinement: { walls: true, filter: true, limits: true },
  own: { setpriv: '/usr/bin/setpriv', prlimit: undefined, paths: [] },
};

/** Private, as temporary folders are. */
function folderWith(...files: string[]): string {
  const folder = temporaryFolder('site');
  for (const file of files) {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(join(folder, file), file);
  }
  return folder;
}

const listed = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();

describe.runIf(process.getuid?.() === 0)('for root', () => {
  test('a folder that everybody may read is shown as it lies there', async () => {
    const folder = folderWith('docs.json');
    chmodSync(folder, 0o755);
    const { shown } = await readableFor([folder], shelter);
    expect(shown).toEqual([{ source: folder, place: folder }]);
  });

  test('of a private one a copy is shown in its place, without what belongs to tools', async () => {
    const folder = folderWith(
      'docs.json',
      '.mintignore',
      '.env',
      '.git/config',
      'guides/.price.mdx',
      'dist/x.md',
      'guides/dist/y.md',
    );
    const { shown, remove } = await readableFor([folder], shelter);
    const { source, place } = present(shown[0]);
    expect(place).toBe(folder);
    expect(listed(source)).toEqual(
      [
        '.mintignore',
        'docs.json',
        'guides',
        'guides/.price.mdx',
        'guides/dist',
        'guides/dist/y.md',
      ].toSorted(),
    );
    await remove();
    expect(() => listed(source)).toThrow('ENOENT');
  });

  test('a copy that is kept lies where it was the next time, and never holds itself or what is hidden', async () => {
    const folder = folderWith('docs.json', 'data/secret', 'page.mdx');
    const choices = { keepIn: join(folder, 'kept/here'), hidden: [join(folder, 'data')] };
    for (let round = 0; round < 2; round += 1) {
      const { shown, remove } = await readableFor([folder], shelter, choices);
      await remove();
      expect(listed(present(shown[0]).source)).toEqual(['docs.json', 'kept', 'page.mdx']);
    }
  });
});
