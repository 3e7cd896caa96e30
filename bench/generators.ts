/**
 * The same pages of plain Markdown with Docyard and with other generators, on the same cores. The others are fetched
 * when this runs, into `.cache/generators`; what cannot be fetched is skipped aloud.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { program, temporaryFolder } from '../test/service.ts';
import { writeCorpus } from './corpus.ts';
import { megabytes, rounded, type Measurement } from './measurement.ts';
import { watchMemory } from './process-tree.ts';

const pages = 1000;
const cache = fileURLToPath(new URL('../.cache/generators', import.meta.url));

export const generators: Measurement = {
  name: 'generators',
  about: `${pages} pages of plain Markdown with Docyard, Hugo and VitePress`,
  async run(tell) {
    const sources = join(temporaryFolder('corpus'), 'pages');
    await writeCorpus(sources, pages);
    asPlainMarkdown(sources);
    const rows: (string | number)[][] = [];
    const skipped: string[] = [];
    let own = 0;
    for (const { name, prepare } of [docyard, hugo, vitePress]) {
      tell(name);
      const folder = temporaryFolder('generator');
      try {
        const { command, output, cwd } = prepare(sources, folder);
        const { seconds, cpuSeconds, peakBytes } = await measure(command, cwd);
        own ||= seconds;
        const { files, bytes } = sizeOf(output);
        rows.push([
          name,
          rounded(seconds, 2),
          rounded(cpuSeconds, 2),
          Math.round(peakBytes / 1e6),
          files,
          megabytes(bytes),
          `${rounded(seconds / own, 2)} ×`,
        ]);
      } catch (error) {
        skipped.push(`Skipped ${name}: ${error instanceof Error ? error.message : String(error)}.`);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
    return {
      columns: ['', 'seconds', 'CPU seconds', 'peak memory MB', 'files', 'output MB', 'time to Docyard'],
      rows,
      notes: [
        'One run each, nothing cached by the generator. Hugo has a layout of a few lines and no search, no index and no theme; VitePress has its default theme without search.',
        ...skipped,
      ],
    };
  },
};

interface Generator {
  name: string;
  /** Puts everything in place; what it does is not measured. */
  prepare(sources: string, folder: string): { command: string[]; output: string; cwd: string };
}

const docyard: Generator = {
  name: 'Docyard',
  prepare(sources, folder) {
    const output = join(folder, 'out');
    return { command: [process.execPath, program, 'build', sources, '--out', output], output, cwd: folder };
  },
};

const hugo: Generator = {
  name: 'Hugo',
  prepare(sources, folder) {
    if (spawnSync('hugo', ['version']).status !== 0)
      throw new Error('it is not installed (Debian package: hugo)');
    cpSync(sources, join(folder, 'content'), { recursive: true });
    /** A file called index would make all of the folder one page. */
    renameSync(join(folder, 'content/index.md'), join(folder, 'content/_index.md'));
    write(folder, {
      'config.toml': 'baseURL = "https://example.com/"\ntitle = "Corpus"\n',
      'layouts/_default/single.html':
        '<!doctype html><html lang="en"><head><title>{{ .Title }}</title></head><body><main><h1>{{ .Title }}</h1>{{ .Content }}</main></body></html>',
      'layouts/_default/list.html':
        '<!doctype html><html lang="en"><body><ul>{{ range .Pages }}<li><a href="{{ .RelPermalink }}">{{ .Title }}</a></li>{{ end }}</ul></body></html>',
    });
    return { command: ['hugo', '--quiet'], output: join(folder, 'public'), cwd: folder };
  },
};

const vitePress: Generator = {
  name: 'VitePress',
  prepare(sources, folder) {
    const installed = fetched('vitepress', 'vitepress@1.6');
    const site = join(installed, 'site');
    rmSync(site, { recursive: true, force: true });
    cpSync(sources, site, { recursive: true });
    write(site, {
      '.vitepress/config.mjs': `export default { title: 'Corpus', ignoreDeadLinks: true, outDir: ${JSON.stringify(join(folder, 'out'))} };\n`,
    });
    const command = [
      process.execPath,
      join(installed, 'node_modules/vitepress/bin/vitepress.js'),
      'build',
      site,
    ];
    return { command, output: join(folder, 'out'), cwd: installed };
  },
};

function fetched(name: string, specifier: string): string {
  const folder = join(cache, name);
  if (existsSync(join(folder, 'node_modules', name))) return folder;
  write(folder, { 'package.json': '{ "private": true, "type": "module" }\n' });
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--silent', specifier], {
    cwd: folder,
    timeout: 300_000,
  });
  if (status !== 0) throw new Error(`${specifier} could not be installed`);
  return folder;
}

/** Components are left out, since every generator has its own: what stays is what all of them read. */
function asPlainMarkdown(folder: string): void {
  for (const file of filesBelow(folder)) {
    if (!file.endsWith('.mdx')) continue;
    const text = readFileSync(file, 'utf8')
      .replaceAll(/^ *<\/?[A-Z].*>\n/gm, '')
      .replaceAll(/^ {2,4}(?=[A-Z])/gm, '');
    writeFileSync(file.replace(/\.mdx$/, '.md'), text);
    rmSync(file);
  }
}

/** The shell knows the processor time of everything it has waited for. */
async function measure(command: string[], cwd: string) {
  const began = performance.now();
  const child = spawn('bash', ['-c', '"$@" >&2; status=$?; times; exit $status', 'measure', ...command], {
    cwd,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const peak = watchMemory(child.pid ?? 0);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const seconds = (performance.now() - began) / 1000;
  if (status !== 0) throw new Error(`it ended with status ${status}`);
  /** The first line is the shell's own time, the second that of its children. */
  const times = [...(output.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  const cpuSeconds = times.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0);
  return { seconds, cpuSeconds, peakBytes: peak() };
}

function sizeOf(folder: string): { files: number; bytes: number } {
  const sizes = filesBelow(folder).map((file) => statSync(file).size);
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function write(folder: string, files: Record<string, string>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}
