/** `docyard people` as operators call it: whoever is made by hand can sign in, and whoever is locked out again. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { authenticateSession, startSession } from '../people/sessions.ts';
import { signIn } from '../people/sign-in.ts';
import { goodPassword } from '../people/testing.ts';
import { composeForTest, createTenant, temporaryFolder, type TestContext } from '../testing.ts';
import { docyard } from './testing.ts';

const from = { address: '127.0.0.1', requestId: null };
const email = 'ada@example.com';
const files = temporaryFolder('files');

let context: TestContext;

beforeAll(async () => {
  context = await composeForTest();
  await createTenant(context);
});

const people = (...args: string[]) => docyard('people', ...args, '--data', context.config.dataDir);

function passwordFile(text: string): string {
  const file = join(files, 'password');
  writeFileSync(file, text);
  return file;
}

test('who is created can sign in with the password of the file', async () => {
  const options = ['--email', ' Ada@Example.com', '--role', 'owner'];
  const made = await people(
    'create',
    ...options,
    '--password-file',
    passwordFile(`${goodPassword}\n`),
    '--json',
  );
  expect({ status: made.status, stderr: made.stderr }).toEqual({ status: 0, stderr: '' });
  const person = { email, name: 'ada', role: 'owner', status: 'active', signsInWith: 'password' };
  expect(JSON.parse(made.stdout)).toMatchObject([person]);
  expect(await signIn(context, { email, password: goodPassword, from })).toMatch(/^[\w-]{43}$/);
  expect((await people('list')).stdout).toMatch(/ada@example\.com +ada +owner +active/);
});

test('a new password ends every session', async () => {
  const [{ id }] = JSON.parse((await people('list', '--json')).stdout) as [{ id: string }];
  const session = await startSession(context, id);
  const next = 'forty two herrings on a rope';
  const { stdout } = await people('password', email, '--password-file', passwordFile(next));
  expect(stdout).toBe(`${email} has a new password; every session has ended.\n`);
  expect(await authenticateSession(context, session)).toBeUndefined();
  expect(await signIn(context, { email, password: next, from })).toMatch(/^[\w-]{43}$/);
});

describe('it says what is wrong', () => {
  const file = () => ['--password-file', passwordFile(goodPassword)];

  test.each([
    ['nobody by this email', () => ['password', 'eve@example.com', ...file()], 'There is no person eve'],
    [
      'somebody already',
      () => ['create', '--email', email, '--role', 'viewer', ...file()],
      'is here already',
    ],
    [
      'no email',
      () => ['create', '--email', 'ada', '--role', 'viewer', ...file()],
      'This is no email address',
    ],
    ['a weak password', () => ['password', email, '--password-file', passwordFile('short')], 'at least 12'],
    ['no file', () => ['password', email, '--password-file', join(files, 'none')], 'cannot be read (ENOENT)'],
    ['no terminal', () => ['password', email], '--password-file -'],
    ['the last owner', () => ['remove', email], 'This is the last owner'],
  ])('%s', async (_name, args, sentence) => {
    const { status, stderr } = await people(...args());
    expect(status).not.toBe(0);
    expect(stderr).toContain(sentence);
  });
});

test('who is removed is gone', async () => {
  const options = [
    '--email',
    'ben@example.com',
    '--role',
    'viewer',
    '--password-file',
    passwordFile(goodPassword),
  ];
  await people('create', ...options);
  expect((await people('remove', 'ben@example.com')).stdout).toBe('ben@example.com is removed.\n');
  expect((await people('list')).stdout).not.toContain('ben@example.com');
});
