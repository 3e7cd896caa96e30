import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder, writeFiles } from '../../../test/support/test-context.ts';
import { agentProgram, AgentProgramError, type AgentSettings } from './agent-program.ts';
import { modelOriginInside, searchPathInside } from './sandbox.ts';

function host(folder: string) {
  return { searchPath: join(folder, 'empty'), home: join(folder, 'home'), node: process.execPath };
}

function programIn(folder: string, settings: Partial<AgentSettings>, model: string | null = 'writer') {
  const given = { command: [], environment: {}, readPaths: [], dataDir: join(folder, 'data'), ...settings };
  return agentProgram(given, model, host(folder));
}

/** Below the folder of the test; others are left out. */
function mountsOf(folder: string, settings: Partial<AgentSettings>): string[] {
  const { readOnlyPaths } = programIn(folder, settings);
  return readOnlyPaths.flatMap((path) => (path.startsWith(folder) ? path.slice(folder.length + 1) : []));
}

const script = '#!/usr/bin/env node\n';

describe('the files that an agent can read', () => {
  test('a command in node_modules/.bin can read the whole node_modules folder', () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'app/node_modules/@team/writer/dist/cli.js': script });
    mkdirSync(join(folder, 'app/node_modules/.bin'));
    symlinkSync('../@team/writer/dist/cli.js', join(folder, 'app/node_modules/.bin/writer'));
    const command = [join(folder, 'app/node_modules/.bin/writer')];
    expect(mountsOf(folder, { command })).toEqual(['app/node_modules']);
  });

  test('a script can read its package and the packages that are installed above it', () => {
    const folder = temporaryFolder();
    writeFiles(folder, {
      'repository/node_modules/a/index.js': '',
      'repository/packages/writer/package.json': '{}',
      'repository/packages/writer/src/main.js': '',
      'repository/secret.txt': '',
    });
    const command = ['/usr/bin/env', join(folder, 'repository/packages/writer/src/main.js')];
    expect(mountsOf(folder, { command })).toEqual(['repository/packages/writer', 'repository/node_modules']);
  });

  test('a program without a package can read its own folder', () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'tools/writer/bin': '', 'tools/other': '' });
    expect(mountsOf(folder, { command: [join(folder, 'tools/writer/bin')] })).toEqual(['tools/writer']);
  });

  test('a program in the home folder does not expose that folder, even if it is a package', () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'home/package.json': '{}', 'home/writer': '', 'home/tools/writer': '' });
    expect(mountsOf(folder, { command: [join(folder, 'home/writer')] })).toEqual(['home/writer']);
    expect(mountsOf(folder, { command: [join(folder, 'home/tools/writer')] })).toEqual(['home/tools']);
  });

  test('a program beside the data folder does not expose that folder', () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'package.json': '{}', writer: '', 'data/docyard.db': '' });
    expect(mountsOf(folder, { command: [join(folder, 'writer')] })).toEqual(['writer']);
  });

  test('a Python program can read its virtual environment', () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'venv/pyvenv.cfg': '', 'venv/lib/module.py': '', 'venv/bin/python': '' });
    writeFiles(folder, { 'venv/bin/writer': `#!${join(folder, 'venv/bin/python')}\n` });
    expect(mountsOf(folder, { command: [join(folder, 'venv/bin/writer')] })).toEqual(['venv']);
  });

  test('the paths of AGENT_READ_PATHS are added once', () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'tools/writer': '', 'styles/guide.md': '' });
    const readPaths = [join(folder, 'styles'), join(folder, 'styles/guide.md'), join(folder, 'styles')];
    expect(mountsOf(folder, { command: [join(folder, 'tools/writer')], readPaths })).toEqual([
      'tools',
      'styles',
    ]);
  });

  test.each([
    ['AGENT_COMMAND', { command: ['/no/such/agent'] }],
    ['AGENT_READ_PATHS', { command: ['/usr/bin/env'], readPaths: ['/no/such/folder'] }],
  ])('a path of %s that does not exist is an error', (setting, settings) => {
    const start = () => programIn(temporaryFolder(), settings);
    expect(start).toThrow(AgentProgramError);
    expect(start).toThrow(new RegExp(`^${setting} names /no/such/\\w+, which does not exist`));
  });
});

describe('the Node of a script', () => {
  test('a script of nvm runs with the Node beside it', () => {
    const folder = temporaryFolder();
    const version = join(folder, 'home/.nvm/versions/node/v22.1.0');
    writeFiles(version, { 'bin/node': '', 'lib/node_modules/writer/cli.js': script });
    symlinkSync('../lib/node_modules/writer/cli.js', join(version, 'bin/writer'));
    const { environment, readOnlyPaths } = programIn(folder, { command: [join(version, 'bin/writer')] });
    expect(environment['PATH']).toBe(`${version}/bin:${searchPathInside}`);
    expect(readOnlyPaths).toEqual([join(version, 'bin'), join(version, 'lib/node_modules')]);
  });

  test('a script below an npm prefix runs with the Node of the prefix', () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'prefix/bin/node': '', 'prefix/lib/node_modules/writer/cli.js': script });
    const command = [join(folder, 'prefix/lib/node_modules/writer/cli.js')];
    expect(programIn(folder, { command }).environment['PATH']).toBe(
      `${folder}/prefix/bin:${searchPathInside}`,
    );
  });

  test('a script runs with the Node on the search path of the service', () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'empty/node': '', 'tools/writer': script });
    const { environment } = programIn(folder, { command: [join(folder, 'tools/writer')] });
    expect(environment['PATH']).toBe(`${folder}/empty:${searchPathInside}`);
  });

  test('a script runs with the Node of the service if there is no other', () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'tools/writer': '#!/usr/bin/env -S node --no-warnings\n' });
    const { environment } = programIn(folder, { command: [join(folder, 'tools/writer')] });
    expect(environment['PATH']?.split(':')).toContain(dirname(process.execPath));
  });

  test('a binary needs none', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'tools'));
    writeFileSync(join(folder, 'tools/writer'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0]));
    chmodSync(join(folder, 'tools/writer'), 0o755);
    const { environment } = programIn(folder, { command: [join(folder, 'tools/writer')] });
    expect(environment).toEqual({ PATH: searchPathInside });
  });
});

describe('the environment of an agent', () => {
  const environment = { URL: '{modelUrl}/v1', NAME: 'openai/{model}', MODE: 'plan', PATH: '/opt/bin' };

  test('the name and the address of the model replace their placeholders', () => {
    expect(programIn('/', { command: ['/usr/bin/env'], environment }, 'a$&b').environment).toEqual({
      URL: `${modelOriginInside}/v1`,
      NAME: 'openai/a$&b',
      MODE: 'plan',
      PATH: '/opt/bin',
    });
  });

  test('variables that name the model are left out without one', () => {
    expect(programIn('/', { command: ['/usr/bin/env'], environment }, null).environment).toEqual({
      MODE: 'plan',
      PATH: '/opt/bin',
    });
  });
});
