/** Bundles `docyard-site` with its dependencies into a folder, for the image that serves exported sites. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { licensesOf } from './bundle-programs.ts';

const program = fileURLToPath(new URL('../packages/site/bin/docyard-site.js', import.meta.url));

const [target] = process.argv.slice(2);
if (target === undefined) throw new Error('Name the folder to write: node scripts/bundle-site.ts FOLDER');

const bundle = await rolldown({
  input: program,
  platform: 'node',
  resolve: { mainFields: ['module', 'main'] },
  experimental: { attachDebugInfo: 'none' },
  logLevel: 'warn',
});
const { output } = await bundle.write({
  dir: target,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'part-[hash].js',
  minify: true,
});
const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
writeFileSync(join(target, 'LICENSES.txt'), licensesOf(modules));
