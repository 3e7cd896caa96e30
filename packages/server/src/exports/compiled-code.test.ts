/** What processes share that read strangers' files: compiled code, written by none of them, and the bytes they make. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { converseIn } from '../rendering/conversation.ts';
import { findIsolation, unconfined } from '../rendering/isolation.ts';
import { temporaryFolder, writeFiles } from '../testing.ts';
import { compiledCode } from '../rendering/own-files.ts';
import { exportOfSample, keepCompiledCode } from './compiled-code.ts';

const isolation = await findIsolation();
if (isolation.level < 2) console.log(`Behind walls nothing is tried here: ${isolation.statement}`);

test.skipIf(isolation.level < 2)(
  'compiled code is kept by an export of our own, read by the next processes, and never written by them',
  async () => {
    enableCompileCache(temporaryFolder('compiled'));
    const folder = getCompileCacheDir() ?? '';
    await keepCompiledCode();
    const kept = compiledCode(0).map(({ source }) => readdirSync(source).length);
    // Of the process that exports, and of the one that renders its pages and is ended as soon as they are there.
    expect(kept.filter((files) => files > 100).length).toBeGreaterThanOrEqual(2);
    const program = join(temporaryFolder('looking'), 'look.mjs');
    writeFiles(join(program, '..'), { 'look.mjs': look });
    const seen = await converseIn(isolation, {
      program,
      order: {},
      // As much as an export, since Node keeps what it compiled apart for each size of the heap.
      memoryMegabytes: 768,
      signal: AbortSignal.timeout(60_000),
      hear: (raw) => ({ answer: raw }),
    });
    // Other tests compile at the same time, and what they write is theirs until somebody opens it to all.
    expect(seen).toMatchObject({ writing: 'EROFS' });
    expect((seen as { readable: number }).readable).toBeGreaterThan(100);
    expect(readdirSync(folder)).not.toContain('poison');
  },
);

const look = `
import { accessSync, constants, readdirSync, writeFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
process.once('message', () => {
  const folder = getCompileCacheDir();
  let writing = 'done';
  try { writeFileSync(folder + '/poison', ''); } catch (error) { writing = error.code; }
  const isReadable = (name) => {
    try { accessSync(folder + '/' + name, constants.R_OK); return true; } catch { return false; }
  };
  process.send({ readable: readdirSync(folder).filter(isReadable).length, writing });
});`;

/** Each of these is loaded when a page needs it. */
const late = `# Late

\`\`\`mermaid
sequenceDiagram
  station->>server: a reading
\`\`\`

$$
a^2 + b^2 = c^2
$$

\`\`\`hcl
name = "tern"
\`\`\`
`;

test.skipIf(isolation.level < 2)('what only few pages need is kept too', async () => {
  const [site, work] = [temporaryFolder('site'), temporaryFolder('work')];
  writeFiles(site, { 'index.mdx': late });
  // Others come after it: with its last page a process is ended, whatever it has not written yet.
  for (let page = 0; page < 30; page += 1) writeFiles(site, { [`page-${page}.mdx`]: '# Another page' });
  writeFiles(work, { 'keep.mjs': keep });
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(work, 'keep.mjs'), import.meta.dirname, site, work],
    // Of its own: other tests share one, and write to it.
    { env: { ...process.env, NODE_COMPILE_CACHE: temporaryFolder('compiled') } },
  );
  // Where nothing keeps it from writing, an export leaves what it found missing.
  const { kept, after } = JSON.parse(stdout) as Record<'kept' | 'after', number[]>;
  expect(Math.max(...kept)).toBeGreaterThan(100);
  expect(after).toEqual(kept);
});

const keep = `
import { readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
const [exportsFolder, site, work] = process.argv.slice(2);
const ours = (path) => import(pathToFileURL(exportsFolder + '/' + path).href);
const { exportOfSample, keepCompiledCode } = await ours('compiled-code.ts');
const { converseIn } = await ours('../rendering/conversation.ts');
const { findIsolation, unconfined } = await ours('../rendering/isolation.ts');
const { compiledCode } = await ours('../rendering/own-files.ts');
const files = () => compiledCode(0).map(({ source }) => readdirSync(source).length);
await keepCompiledCode();
const kept = files();
const { own } = await findIsolation();
await converseIn({ confinement: unconfined, own }, exportOfSample(work, AbortSignal.timeout(120_000), site));
console.log(JSON.stringify({ kept, after: files() }));
process.exit();`;

test.skipIf(isolation.level < 2)('a site gives the same bytes behind walls and without them', async () => {
  const bundleIn = async (shelter: Parameters<typeof converseIn>[0]) => {
    const hash = createHash('sha256');
    const conversation = exportOfSample(temporaryFolder('bundle'), AbortSignal.timeout(120_000));
    await converseIn(shelter, {
      ...conversation,
      takeOutput: async (output) => {
        for await (const chunk of output as AsyncIterable<Buffer>) hash.update(chunk);
      },
    });
    return hash.digest('hex');
  };
  expect(await bundleIn(isolation)).toBe(await bundleIn({ confinement: unconfined, own: isolation.own }));
});
