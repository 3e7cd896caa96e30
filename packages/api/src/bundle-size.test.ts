import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';

const importer = fileURLToPath(new URL('page.js', import.meta.url));

/** The size of a page's script that uses these exports, minified and compressed. */
async function compressedSize(exports: string): Promise<number> {
  const code = `import { ${exports} } from '@docyard/api';\nconsole.log(${exports});`;
  const bundle = await rolldown({
    input: 'page',
    platform: 'browser',
    plugins: [
      {
        name: 'page',
        resolveId: (id) => (id === 'page' ? importer : null),
        load: (id) => (id === importer ? code : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  return output.reduce((sum, file) => sum + gzipSync('code' in file ? file.code : file.source).length, 0);
}

describe('a page contains no validation that it does not use', () => {
  it.each([
    ['DocyardClient', 5_000],
    ['DocyardClient, DocyardError, runExport, waitForExport, waitForAgentJob, verifyWebhook', 7_000],
    ['DocyardClient, errorTable, scopes, roles, webhookEvents, agentEndings, operationRoutes', 7_000],
    ['DocyardClient, ExportJob', 40_000],
  ])('%s has less than %i bytes', async (exports, maxBytes) => {
    expect(await compressedSize(exports)).toBeLessThan(maxBytes);
  });

  it('every module imports zod as a namespace, because some bundlers include all of zod otherwise', () => {
    const folder = new URL('.', import.meta.url);
    const modules = readdirSync(folder).filter((name) => name.endsWith('.ts'));
    const others = modules.filter((name) =>
      /^import \{[^}]*\} from 'zod'/m.test(readFileSync(new URL(name, folder), 'utf8')),
    );
    expect(others).toEqual([]);
  });
});
