import { expect, test } from 'vitest';
import { composeForTest, createTenant, createTestProject } from '../../../test/support/test-context.ts';
import { writeSecret } from '../../projects/secrets.ts';
import { signCommit } from './sign-commit.ts';

test('a key that cannot sign ends the run as an error that a retry can repair', async () => {
  const context = await composeForTest();
  const { id: projectId } = await createTestProject(context, await createTenant(context));
  const sign = () =>
    signCommit({ context, job: { project_id: projectId } }, { readCommit: async () => 'tree 1\n' }, '1');
  expect(await sign()).toBeUndefined();
  await writeSecret(context, { projectId, name: 'git.signingKey' }, 'a value of another version');
  await expect(sign()).rejects.toMatchObject({
    reason: 'forge_error',
    message: 'The commit cannot be signed: This is neither an SSH nor an OpenPGP private key.',
    hint: expect.stringContaining('Then retry the job.') as string,
  });
});
