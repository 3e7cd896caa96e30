import { spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { explainBubblewrap, namespaceArguments } from './bubblewrap.ts';
import { findIsolation } from './isolation.ts';
import { findRuntimeFiles } from './runtime-files.ts';
import { probe } from './probe.ts';

const { level } = await findIsolation();
const full = { namespaces: true, seccomp: true, limits: true };
const folder = mkdtempSync(join(tmpdir(), 'docyard-bubblewrap-'));

/** Refuses only sethostname, like the default profile of container runtimes in a user namespace. */
function filterWithoutSethostname(): number {
  const number = process.arch === 'arm64' ? 161 : 170;
  const instructions = [
    [0x20, 0, 0, 0],
    [0x15, 0, 1, number],
    [0x06, 0, 0, 0x00050001],
    [0x06, 0, 0, 0x7fff0000],
  ] as const;
  const program = Buffer.alloc(8 * instructions.length);
  for (const [index, [code, ifTrue, ifFalse, value]] of instructions.entries()) {
    program.writeUInt16LE(code, 8 * index);
    program.writeUInt8(ifTrue, 8 * index + 2);
    program.writeUInt8(ifFalse, 8 * index + 3);
    program.writeUInt32LE(value, 8 * index + 4);
  }
  const file = join(folder, 'filter');
  writeFileSync(file, program);
  return openSync(file, 'r');
}

test.runIf(level === 3)('a sandbox starts where the container refuses to set a host name', () => {
  const container = ['--dev-bind', '/', '/', '--cap-add', 'ALL', '--seccomp', '3', '--'];
  const sandbox = ['bwrap', ...namespaceArguments({ users: 'namespace', isFiltered: true, environment: {} })];
  const { status, stderr } = spawnSync(
    'bwrap',
    [...container, ...sandbox, '--ro-bind', '/', '/', '--', 'true'],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe', filterWithoutSethostname()],
    },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test.runIf(level === 3)('the probe quotes the error of bubblewrap', async () => {
  const runtime = await findRuntimeFiles();
  const outcome = await probe({
    confinement: full,
    runtime: { ...runtime, paths: [...runtime.paths, '/etc/missing'] },
  });
  expect(outcome).toMatchObject({
    failed: "bubblewrap (bwrap) failed: Can't find source path /etc/missing: No such file or directory",
  });
});

describe('an error of bubblewrap', () => {
  test.each([
    ['bwrap: Unknown option --disable-userns', 'is older than 0.8: Unknown option --disable-userns'],
    [
      "bwrap: Can't find source path /srv/customer/site: No such file",
      "failed: Can't find source path (a path): No such file",
    ],
    ['bwrap: setting up uid map: Permission denied', 'failed: setting up uid map: Permission denied'],
    ['Killed', 'failed and gave no reason'],
  ])('%s is quoted', (complaint, words) => {
    expect(explainBubblewrap(`The rendering process ended early (1): ${complaint}\n`)).toBe(
      `bubblewrap (bwrap) ${words}`,
    );
  });
});
