import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { present, temporaryFolder } from '../../test/support/test-context.ts';
import type { SandboxSetup } from './launch.ts';
import { readableMounts } from './readable-mounts.ts';

const setup: SandboxSetup = {
  confinement: { namespaces: true, seccomp: true, limits: true },
  runtime: { setpriv: '/usr/bin/setpriv', prlimit: undefined, paths: [] },
};

/** Private to the owner. */
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
  test('a world-readable folder is mounted directly', async () => {
    const folder = folderWith('docs.json');
    chmodSync(folder, 0o755);
    const { mounts } = await readableMounts([folder], setup);
    expect(mounts).toEqual([{ source: folder, target: folder }]);
  });

  test('a private folder is mounted as a copy without files of tools', async () => {
    const folder = folderWith(
      'docs.json',
      '.mintignore',
      '.env',
      '.git/config',
      'guides/.price.mdx',
      'dist/x.md',
      'guides/dist/y.md',
    );
    const { mounts, remove } = await readableMounts([folder], setup);
    const { source, target } = present(mounts[0]);
    expect(target).toBe(folder);
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

  test('a kept copy has a stable path and contains neither itself nor hidden folders', async () => {
    const folder = folderWith('docs.json', 'data/secret', 'page.mdx');
    const choices = { keepIn: join(folder, 'kept/here'), hidden: [join(folder, 'data')] };
    for (let round = 0; round < 2; round += 1) {
      const { mounts, remove } = await readableMounts([folder], setup, choices);
      await remove();
      expect(listed(present(mounts[0]).source)).toEqual(['docs.json', 'kept', 'page.mdx']);
    }
  });
});
