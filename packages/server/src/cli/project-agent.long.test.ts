/** `docyard projects agent` shows and changes single settings and accepts no secret as an argument. */
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { setUpFirstRun } from '../first-run.ts';
import { listOrganizations } from '../organizations/organizations.ts';
import { readAgentSecrets } from '../projects/agent-settings.ts';
import { createProject } from '../projects/projects.ts';
import { newSshKey, signingPrograms } from '../../../../test/signing-keys.ts';
import {
  composeForTest,
  present,
  temporaryFolder,
  type TestContext,
} from '../../test/support/test-context.ts';

const binary = fileURLToPath(new URL('../../bin/docyard.js', import.meta.url));
const domain = 'docs.example.com';
const files = temporaryFolder('files');

let context: TestContext;
let projectId: string;

beforeAll(async () => {
  context = await composeForTest();
  await setUpFirstRun(context, { sample: false, adminKeyFile: undefined });
  const organization = present((await listOrganizations(context))[0]);
  const project = await createProject(context, {
    name: 'Docs',
    domain,
    source: { repository: 'https://git.example.com/harbour/docs.git' },
    actor: { organizationId: organization.id, projectId: null, name: 'cli', address: null, requestId: null },
    allowLocal: false,
  });
  projectId = project.id;
});

function agent(args: string[], input = ''): { status: number | null; stdout: string; stderr: string } {
  const where = ['projects', 'agent', domain, '--data', context.config.dataDir];
  const { status, stdout, stderr } = spawnSync(process.execPath, [binary, ...where, ...args], {
    encoding: 'utf8',
    input,
  });
  return { status, stdout, stderr };
}

function json(args: string[], input = ''): Record<string, unknown> {
  const { status, stdout, stderr } = agent([...args, '--json'], input);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, unknown>;
}

function file(name: string, text: string): string {
  writeFileSync(join(files, name), text);
  return join(files, name);
}

test('the command without options prints the current settings', () => {
  expect(agent([]).stdout).toBe(
    [
      'engine          default of the installation',
      'forge           detected from the repository URL',
      'model           default of the installation',
      'branch          docyard/{job}',
      'author          Docyard agent <agent@docyard.invalid>',
      'committer       the author',
      'co-authors      none',
      'signing key     none',
      'labels          none',
      'reviewers       none',
      'teams           none',
      'assignees       none',
      'limits          default',
      'protected paths none',
      'allowed paths   none',
      'allowed keys    none',
      'instructions    none',
      'context         none',
      'evidence        required with context repositories',
      '',
    ].join('\n'),
  );
});

test('the engine is set and reset', () => {
  expect(json(['--engine', 'builtin'])).toMatchObject({ engine: 'builtin' });
  expect(json(['--no-engine'])).toMatchObject({ engine: null });
  expect(agent(['--engine', 'other'])).toMatchObject({ status: 2 });
});

describe('the forge', () => {
  const credential = async () => (await readAgentSecrets(context, projectId)).forgeCredential;

  test('is set with a token from a file or standard input, shown without it, and removed', async () => {
    const token = file('token', 'first-token\n');
    const first = json(['--forge', 'gitea', '--token-file', token]);
    expect(first['forge']).toEqual({ kind: 'gitea', apiBase: null, fork: null, credential: { set: true } });
    expect(await credential()).toEqual({ type: 'token', token: 'first-token' });
    json(['--token-file', '-', '--username', 'ada'], 'second-token\n');
    expect(await credential()).toEqual({ type: 'token', token: 'second-token', username: 'ada' });
    const { stdout } = agent([]);
    expect(stdout).toContain('forge           gitea, credential set\n');
    expect(stdout).not.toContain('second-token');
    expect(json(['--fork', 'auto'])['forge']).toMatchObject({ fork: 'auto', credential: { set: true } });
    expect(agent([]).stdout).toContain('forge           gitea, fork auto, credential set\n');
    expect(json(['--no-fork'])['forge']).toMatchObject({ fork: null, credential: { set: true } });
    expect(json(['--no-credential'])['forge']).toMatchObject({ kind: 'gitea', credential: { set: false } });
    expect(await credential()).toBeNull();
  });

  test('may be a GitHub App', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = file('app.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    json([
      '--forge',
      'github',
      '--api-base',
      'https://git.example.com/api/v3',
      '--app-id',
      '7',
      '--app-key-file',
      key,
    ]);
    expect(await credential()).toMatchObject({ type: 'app', appId: '7' });
    expect(json(['--no-forge'])['forge']).toBeNull();
  });
});

test('the model settings are changed one at a time', async () => {
  const args = [
    '--model-url',
    'https://models.example.com/v1',
    '--model',
    'writer-1',
    '--model-key-file',
    '-',
  ];
  json(args, 'key-of-the-model');
  const model = { provider: 'openai', url: 'https://models.example.com/v1', key: { set: true } };
  expect(json(['--model', 'writer-2'])['model']).toEqual({ ...model, name: 'writer-2' });
  expect((await readAgentSecrets(context, projectId)).modelKey).toBe('key-of-the-model');
  expect(json(['--no-model-key'])['model']).toMatchObject({ key: { set: false } });
  const headers = file('headers.json', '{"x-team": "the-team"}');
  json(['--model-headers-file', headers, '--model-option', 'contextTokens=32768', 'temperature=0.2']);
  expect(json(['--model-option', 'idleSeconds=90'])['model']).toMatchObject({
    headers: { 'x-team': { set: true } },
    contextTokens: 32_768,
    temperature: 0.2,
    idleSeconds: 90,
  });
  expect((await readAgentSecrets(context, projectId)).modelHeaders).toEqual({ 'x-team': 'the-team' });
  expect(json(['--no-model-headers', '--no-model-options'])['model']).toEqual({
    ...model,
    name: 'writer-2',
    key: { set: false },
  });
  expect(json(['--no-model'])['model']).toBeNull();
});

test('limits are merged, lists are replaced, and each can be removed', () => {
  const instructions = file('instructions.md', 'Be brief.\n');
  json(['--limit', 'steps=40', 'minutes=10', '--protect', 'legal', '--instructions-file', instructions]);
  const changed = json([
    '--limit',
    'steps=50',
    '--protect',
    'a',
    'b/**',
    '--allow-key',
    'redirects',
    '--allow-path',
    'x.js',
  ]);
  expect(changed).toMatchObject({
    limits: { steps: 50, minutes: 10 },
    protectedPaths: ['a', 'b/**'],
    allowedPaths: ['x.js'],
    allowedConfigKeys: ['redirects'],
    instructions: 'Be brief.\n',
  });
  const none = ['--no-limits', '--no-protect', '--no-allow-path', '--no-allow-key', '--no-instructions'];
  expect(json(none)).toMatchObject({
    limits: {},
    protectedPaths: [],
    allowedPaths: [],
    allowedConfigKeys: [],
    instructions: null,
  });
});

test('context repositories are read from a file with their credentials, and removed', async () => {
  const repository = 'https://git.example.com/harbour/api.git';
  const token = { type: 'token', token: 'token-of-the-code' };
  const list = file('context.json', JSON.stringify([{ name: 'api', repository, credential: token }]));
  const shown = { name: 'api', repository, ref: null, paths: [], credential: { set: true } };
  expect(json(['--context-file', list])).toMatchObject({ contextRepositories: [shown] });
  expect((await readAgentSecrets(context, projectId)).contextCredentials).toEqual([token]);
  expect(agent([]).stdout).toContain(`context         api (${repository}, credential set)\n`);
  expect(json(['--require-evidence', 'never'])).toMatchObject({ requireEvidence: false });
  const none = { contextRepositories: [], requireEvidence: null };
  expect(json(['--no-context', '--require-evidence', 'auto'])).toMatchObject(none);
});

test('branches, commits and pull requests are changed one field at a time', () => {
  const ada = { name: 'Ada', email: 'ada@example.com' };
  const first = json(['--branch', 'docs/{slug}', '--author', 'Ada <ada@example.com>', '--label', 'a', 'b c']);
  expect(first).toMatchObject({
    git: { branch: 'docs/{slug}', author: ada, committer: null },
    pullRequest: { labels: ['a', 'b c'], reviewers: [] },
  });
  const more = ['--co-author', 'Ada <ada@example.com>', '--reviewer', 'ada', '--assignee', 'grace'];
  expect(json([...more, '--no-label', '--no-branch'])).toMatchObject({
    git: { branch: null, author: ada, coAuthors: [ada] },
    pullRequest: { labels: [], reviewers: ['ada'], assignees: ['grace'] },
  });
  const none = ['--no-author', '--no-co-author', '--no-reviewer', '--no-assignee'];
  expect(json(none)).toMatchObject({ git: { author: null, coAuthors: [] }, pullRequest: { reviewers: [] } });
});

test.skipIf(!signingPrograms)('the signing key is set from a file, shown without it, and deleted', () => {
  const key = newSshKey();
  const set = json(['--signing-key-file', file('signing-key', key)]);
  expect(set).toMatchObject({ git: { signingKey: { set: true, format: 'ssh' } } });
  const { stdout } = agent([]);
  expect(stdout).toContain('signing key     ssh, public key below\n');
  expect(stdout).toMatch(/\n\nssh-ed25519 \S+ docs@example\.com\n$/);
  expect(stdout).not.toContain('PRIVATE');
  expect(json(['--no-signing-key'])).toMatchObject({ git: { signingKey: { set: false } } });
});

describe('an invalid call explains what to do', () => {
  test.each<[number, string, string[]]>([
    [2, '--forge sourcehut: must be github', ['--forge', 'sourcehut']],
    [2, 'The project has no forge. Also pass --forge', ['--token-file', '-']],
    [2, '--username needs --token-file. Pass both.', ['--forge', 'bare', '--username', 'ada']],
    [2, 'A GitHub App needs both', ['--forge', 'github', '--app-id', '7']],
    [2, 'Pass --model-url and --model.', ['--model', 'writer-1']],
    [2, 'write it as name=number', ['--limit', 'steps']],
    [2, '--limit: ', ['--limit', 'stepps=7']],
    [2, '--author Ada: write it as "Name <email>".', ['--author', 'Ada']],
    [2, '--co-author: This is not an email address.', ['--co-author', 'Ada <ada>']],
    [2, '--branch: Use only the placeholders', ['--branch', 'docs/{title}']],
    [2, '--reviewer: Write the bare name', ['--reviewer', '@ada']],
    [2, 'This is neither an SSH nor an OpenPGP private key.', ['--signing-key-file', '-']],
    [2, '--protect: A path must not contain "..".', ['--protect', '../x']],
    [
      1,
      'cannot read /nowhere/token: no such file or folder (ENOENT)',
      ['--forge', 'gitea', '--token-file', '/nowhere/token'],
    ],
    [
      2,
      'Only GitHub supports App credentials.',
      ['--forge', 'gitea', '--app-id', '7', '--app-key-file', '-'],
    ],
  ])('%s: %s', (status, hint, args) => {
    const answer = agent(args, 'a-token');
    expect(answer.stderr).toContain(hint);
    expect({ status: answer.status, stdout: answer.stdout }).toEqual({ status, stdout: '' });
    expect(answer.stderr).not.toContain('    at ');
  });
});
