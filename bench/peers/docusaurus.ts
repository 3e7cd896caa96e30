/** Docusaurus with its classic preset and its faster bundler, loaders and minifiers. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder, installed, type Peer, writeFiles } from './peer.ts';

const config = `export default {
  title: 'Corpus',
  url: 'https://example.com',
  baseUrl: '/',
  onBrokenLinks: 'ignore',
  onBrokenAnchors: 'ignore',
  future: { v4: true, faster: true },
  markdown: { format: 'detect', hooks: { onBrokenMarkdownLinks: 'ignore' } },
  presets: [['classic', { docs: { routeBasePath: '/' }, blog: false }]],
};
`;

export const docusaurus: Peer = {
  id: 'docusaurus',
  name: 'Docusaurus',
  about: 'its classic preset with everything faster switched on, without search',
  isJavaScript: true,
  install,
  prepare(sources, folder) {
    const home = install();
    const site = emptyFolder(join(home, 'site'));
    const output = join(folder, 'out');
    cpSync(sources, join(site, 'docs'), { recursive: true });
    writeFiles(site, { 'docusaurus.config.mjs': config, 'package.json': '{ "private": true }\n' });
    const program = join(home, 'node_modules/@docusaurus/core/bin/docusaurus.mjs');
    return { command: [process.execPath, program, 'build', site, '--out-dir', output], output, cwd: site };
  },
};

function install(): string {
  return installed('docusaurus', {
    packages: [
      '@docusaurus/core@3.10',
      '@docusaurus/preset-classic@3.10',
      '@docusaurus/faster@3.10',
      'react@19',
      'react-dom@19',
    ],
    kept: ['node_modules/.cache'],
  });
}
