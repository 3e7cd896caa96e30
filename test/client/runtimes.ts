/**
 * Runs the packed client on Deno and Bun against a real service. It needs the npm registry, so only `npm run deploy-check` runs
 * it.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startService, temporaryFolder } from '../service.ts';
import { installClient, run, snippetsOf } from './install-client.ts';

/** The arguments precede the file name. */
const runtimes = {
  deno: {
    version: '2.9.6',
    check: ['check'],
    args: ['run', '--allow-net', '--allow-env', '--allow-read', '--allow-write'],
  },
  bun: { version: '1.4.4', check: undefined, args: ['run'] },
};

export async function checkRuntimes(): Promise<string[]> {
  const folder = await installClient();
  const programs = temporaryFolder('runtimes');
  const wanted = Object.entries(runtimes).map(([name, { version }]) => `${name}@${version}`);
  writeFileSync(join(programs, 'package.json'), '{ "private": true }\n');
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...wanted], programs);
  const service = await startService({ environment: { RENDER_PROCESSES: '1' } });
  try {
    const { data } = await service.client.call('listProjects');
    const [example = ''] = snippetsOf('packages/api/README.md', 'ts');
    writeFileSync(join(folder, 'example.ts'), example.replace('docs.example.com', data[0]?.domain ?? ''));
    const env = { DOCYARD_URL: service.origin, DOCYARD_API_KEY: service.key };
    return Object.entries(runtimes).map(([name, { version, check, args }]) => {
      const program = join(programs, 'node_modules/.bin', name);
      if (check !== undefined) run(program, [...check, 'example.ts'], folder, env);
      const output = run(program, [...args, 'example.ts'], folder, env);
      const pages = /(\d+) pages are in bundle\.tar\.gz\n$/.exec(output)?.[1];
      if (pages === undefined) throw new Error(`${name} did not get to the end:\n${output}`);
      const files = run('tar', ['-tzf', 'bundle.tar.gz'], folder).trim().split('\n').length;
      return `${name} ${version}: an export of ${pages} pages was started, followed and downloaded, ${files} files`;
    });
  } finally {
    await service.stop();
  }
}
