/** Starlight on Astro, with its built-in search. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder, installed, type Peer, writeFiles } from './peer.ts';

export const starlight: Peer = {
  id: 'starlight',
  name: 'Starlight',
  about: 'its default theme with search',
  isJavaScript: true,
  install,
  prepare(sources, folder) {
    const home = install();
    const site = emptyFolder(join(home, 'site'));
    const output = join(folder, 'out');
    cpSync(sources, join(site, 'src/content/docs'), { recursive: true });
    writeFiles(site, {
      'package.json': '{ "private": true, "type": "module" }\n',
      'astro.config.mjs': `import { defineConfig } from 'astro/config';
import starlight from '@astrojs/starlight';
export default defineConfig({
  site: 'https://example.com',
  outDir: ${JSON.stringify(output)},
  integrations: [starlight({ title: 'Corpus' })],
});
`,
      'src/content.config.ts': `import { defineCollection } from 'astro:content';
import { docsLoader } from '@astrojs/starlight/loaders';
import { docsSchema } from '@astrojs/starlight/schema';
export const collections = { docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }) };
`,
    });
    const program = join(home, 'node_modules/astro/bin/astro.mjs');
    return { command: [process.execPath, program, 'build', '--root', site], output, cwd: site };
  },
};

function install(): string {
  return installed('starlight', {
    packages: ['astro@7', '@astrojs/starlight@0'],
    kept: ['node_modules/.astro', 'node_modules/.vite'],
  });
}
