/** VitePress with its default theme. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder, installed, type Peer, writeFiles } from './peer.ts';

export const vitePress: Peer = {
  id: 'vitepress',
  name: 'VitePress',
  about: 'its default theme, without search',
  isJavaScript: true,
  prepare(sources, folder) {
    const home = installed('vitepress', { packages: ['vitepress@1.6'], kept: ['node_modules/.vite'] });
    const site = emptyFolder(join(home, 'site'));
    const output = join(folder, 'out');
    cpSync(sources, site, { recursive: true });
    writeFiles(site, {
      '.vitepress/config.mjs': `export default { title: 'Corpus', ignoreDeadLinks: true, outDir: ${JSON.stringify(output)} };\n`,
    });
    const program = join(home, 'node_modules/vitepress/bin/vitepress.js');
    return { command: [process.execPath, program, 'build', site], output, cwd: home };
  },
};
