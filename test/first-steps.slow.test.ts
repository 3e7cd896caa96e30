/** The first steps of a new user: start the program, run the printed commands, open the page, stop and restart. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { program, temporaryFolder } from './service.ts';

interface Started {
  output: string;
  stop(): Promise<{ status: number | null; output: string }>;
}

async function start(dataDir: string): Promise<Started> {
  const child = spawn(
    process.execPath,
    [program, 'serve', '--port', '0', '--data', dataDir, '--log-level', 'warn'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await expect.poll(() => output, { timeout: 30_000 }).toContain('Ctrl-C');
  return {
    output,
    async stop() {
      child.kill('SIGINT');
      return { status: await ended, output };
    },
  };
}

test('the printed lines, pasted, end in a downloaded site', async () => {
  const dataDir = temporaryFolder('data');
  const folder = temporaryFolder('pasted');
  const first = await start(dataDir);
  const lines = first.output.split('\n');
  const begin = lines.findIndex((line) => line.startsWith('export DOCYARD_API_KEY='));
  const script = lines.slice(begin, lines.indexOf('', begin)).join('\n');
  const pasted = spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8', timeout: 50_000 });
  expect(pasted.stdout).toBe('"status":"completed"\nsite/index.html\n');
  expect(readFileSync(join(folder, 'site/index.html'), 'utf8')).toContain('Tern');

  const key = readFileSync(join(dataDir, 'admin-key'), 'utf8').trim();
  const stopped = await first.stop();
  expect(stopped).toMatchObject({
    status: 0,
    output: expect.stringMatching(/\nStopped\.\n$/) as string,
  });

  const second = await start(dataDir);
  expect(second.output).not.toContain(key);
  const [, origin = ''] = /running at (\S+)/.exec(second.output) ?? [];
  const answer = await fetch(`${origin}/v1/static-export/jobs`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(await answer.json()).toMatchObject({
    data: [{ status: 'completed', domain: 'handbook.example.com' }],
  });
  const manual = await fetch(`${origin}/docs/`);
  expect(manual.status).toBe(200);
  expect(await manual.text()).toContain('Docyard');
  await second.stop();
  expect(existsSync(join(dataDir, 'docyard.db'))).toBe(true);
});
