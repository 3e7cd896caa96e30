/** Rspress with its default theme and search. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder, installed, type Peer, writeFiles } from './peer.ts';

export const rspress: Peer = {
  id: 'rspress',
  name: 'Rspress',
  about: 'its default theme with search',
  isJavaScript: true,
  install,
  prepare(sources, folder) {
    const home = install();
    const site = emptyFolder(join(home, 'site'));
    const output = join(folder, 'out');
    cpSync(sources, join(site, 'docs'), { recursive: true });
    writeFiles(site, {
      'package.json': '{ "private": true, "type": "module" }\n',
      'rspress.config.mjs': `export default {
  root: 'docs',
  title: 'Corpus',
  outDir: ${JSON.stringify(output)},
  markdown: { link: { checkDeadLinks: false } },
};
`,
    });
    const program = join(home, 'node_modules/@rspress/core/bin/rspress.js');
    return { command: [process.execPath, program, 'build'], output, cwd: site };
  },
};

function install(): string {
  return installed('rspress', { packages: ['@rspress/core@2'], kept: ['node_modules/.cache'] });
}
