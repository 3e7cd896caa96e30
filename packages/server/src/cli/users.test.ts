/** `docyard users` creates, invites, changes and removes users. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { authenticateSession, startSession } from '../users/sessions.ts';
import { acceptInvitation, signIn } from '../users/sign-in.ts';
import { goodPassword } from '../../test/support/visitor.ts';
import {
  composeForTest,
  createTenant,
  temporaryFolder,
  type TestContext,
} from '../../test/support/test-context.ts';
import { docyard } from '../../test/support/run-command.ts';

const from = { address: '127.0.0.1', requestId: null };
const email = 'ada@example.com';
const files = temporaryFolder('files');

let context: TestContext;

beforeAll(async () => {
  context = await composeForTest();
  await createTenant(context);
});

const users = (...args: string[]) => docyard('users', ...args, '--data', context.config.dataDir);

function passwordFile(text: string): string {
  const file = join(files, 'password');
  writeFileSync(file, text);
  return file;
}

test('a created user can sign in with the password of the file', async () => {
  const options = ['--email', ' Ada@Example.com', '--role', 'owner'];
  const made = await users(
    'create',
    ...options,
    '--password-file',
    passwordFile(`${goodPassword}\n`),
    '--json',
  );
  expect({ status: made.status, stderr: made.stderr }).toEqual({ status: 0, stderr: '' });
  const user = { email, name: 'ada', role: 'owner', status: 'active', signsInWith: 'password' };
  expect(JSON.parse(made.stdout)).toMatchObject([user]);
  expect(await signIn(context, { email, password: goodPassword, from })).toMatch(/^[\w-]{43}$/);
  expect((await users('list')).stdout).toMatch(/ada@example\.com +ada +owner +active/);
});

test('a new password ends every session', async () => {
  const [{ id }] = JSON.parse((await users('list', '--json')).stdout) as [{ id: string }];
  const session = await startSession(context, id);
  const next = 'forty two herrings on a rope';
  const { stdout } = await users('password', email, '--password-file', passwordFile(next));
  expect(stdout).toBe(`Set the password of ${email} and ended all sessions.\n`);
  expect(await authenticateSession(context, session)).toBeUndefined();
  expect(await signIn(context, { email, password: next, from })).toMatch(/^[\w-]{43}$/);
});

describe('an invitation', () => {
  const options = ['--email', 'cleo@example.com', '--role', 'admin'];

  test('is written to a file of the owner, and its link lets the user choose a password', async () => {
    const file = join(files, 'invitation');
    const publicUrl = ['--public-url', 'https://docs.example.com/'];
    const { status, stdout } = await users('invite', ...options, ...publicUrl, '--output', file);
    expect(status).toBe(0);
    const link = readFileSync(file, 'utf8').trim();
    expect(stdout).not.toContain(link);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [address, token = ''] = link.split('#');
    expect(address).toBe('https://docs.example.com/dashboard/invitation');
    const name = 'Cleo';
    await acceptInvitation(context, { token, name, password: goodPassword, from });
    expect(await signIn(context, { email: 'cleo@example.com', password: goodPassword, from })).toBeDefined();
  });

  test('is not created when its link would go to a stream that is not a terminal', async () => {
    const { status, stderr } = await users('invite', '--email', 'dora@example.com', '--role', 'viewer');
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining('standard output is not a terminal') as string,
    });
    expect((await users('list')).stdout).not.toContain('dora@example.com');
  });
});

describe('the command fails with a message for', () => {
  const file = () => ['--password-file', passwordFile(goodPassword)];

  test.each([
    ['an unknown email', () => ['password', 'eve@example.com', ...file()], 'There is no user eve'],
    ['an existing user', () => ['create', '--email', email, '--role', 'viewer', ...file()], 'already exists'],
    [
      'an invalid email',
      () => ['create', '--email', 'ada', '--role', 'viewer', ...file()],
      'This is not an email address',
    ],
    ['a weak password', () => ['password', email, '--password-file', passwordFile('short')], 'at least 12'],
    [
      'a missing password file',
      () => ['password', email, '--password-file', join(files, 'none')],
      'Cannot read the password file',
    ],
    ['a password prompt without a terminal', () => ['password', email], '--password-file -'],
    ['removing the last owner', () => ['remove', email], 'This is the last owner'],
  ])('%s', async (_name, args, sentence) => {
    const { status, stderr } = await users(...args());
    expect(status).not.toBe(0);
    expect(stderr).toContain(sentence);
  });
});

test('a removed user is no longer listed', async () => {
  const options = [
    '--email',
    'ben@example.com',
    '--role',
    'viewer',
    '--password-file',
    passwordFile(goodPassword),
  ];
  await users('create', ...options);
  expect((await users('remove', 'ben@example.com')).stdout).toBe('ben@example.com is removed.\n');
  expect((await users('list')).stdout).not.toContain('ben@example.com');
});
