import { describe, expect, test } from 'vitest';
import { newPgpKey, newSshKey, signingPrograms, verifyCommit } from '../../../../../test/signing-keys.ts';
import { temporaryFolder } from '../../../test/support/test-context.ts';
import { inspectSigningKey, signText } from '../../git/signing.ts';
import {
  addRepository,
  commitDate,
  commitNow,
  credential,
  open,
  server,
  token,
} from '../../../test/support/git-workspaces.ts';

describe('publishing', () => {
  test('the pushed commit is exact, and a repetition changes nothing', async () => {
    const repository = addRepository();
    const workspace = await open(repository.url);
    await workspace.tree.write('index.mdx', '# Changed\n');
    const commit = await commitNow(workspace, 'Explain the index\n\nAgent-Job: job_1');
    const push = { commit, branch: 'docyard/job1', expected: null, credential };
    await workspace.push(push);
    const seconds = Date.parse(commitDate) / 1000;
    expect(repository.git('cat-file', 'commit', 'docyard/job1')).toBe(
      [
        `tree ${await workspace.snapshot()}`,
        `parent ${workspace.base.commit}`,
        `author Docs Agent <agent@example.com> ${seconds} +0000`,
        `committer Docs Agent <agent@example.com> ${seconds} +0000`,
        '',
        'Explain the index',
        '',
        'Agent-Job: job_1',
      ].join('\n'),
    );
    expect(await commitNow(workspace, 'Explain the index\n\nAgent-Job: job_1')).toBe(commit);
    await workspace.push(push);
    expect(repository.tip('docyard/job1')).toBe(commit);
    expect(repository.git('log', '--format=%H', 'docyard/job1').split('\n')).toHaveLength(2);
    expect(repository.git('fsck', '--strict', '--full')).toBe('');
  });

  test.skipIf(!signingPrograms).each([
    ['SSH', newSshKey],
    ['OpenPGP', newPgpKey],
  ])(
    'git verifies a commit signed with an %s key, and a repetition makes the same commit',
    async (_, make) => {
      const repository = addRepository();
      const workspace = await open(repository.url);
      await workspace.tree.write('index.mdx', '# Changed\n');
      const unsigned = await commitNow(workspace, 'Größe erklären\n\nAgent-Job: job_1');
      const [key, workFolder] = [make(), temporaryFolder()];
      const signature = await signText(key, await workspace.readCommit(unsigned), workFolder);
      const commit = await workspace.addSignature(unsigned, signature);
      await workspace.push({ commit, branch: 'signed', expected: null, credential });
      verifyCommit((...args) => repository.git(...args), commit, await inspectSigningKey(key, workFolder));
      expect(repository.git('log', '-1', '--format=%B', commit)).toBe('Größe erklären\n\nAgent-Job: job_1');
      expect(repository.git('fsck', '--strict', '--full')).toBe('');
      const again = await open(repository.url);
      await again.tree.write('index.mdx', '# Changed\n');
      const repeated = await commitNow(again, 'Größe erklären\n\nAgent-Job: job_1');
      expect(await again.addSignature(repeated, signature)).toBe(commit);
    },
  );

  test('a push of another author is never overwritten', async () => {
    const repository = addRepository();
    const workspace = await open(repository.url);
    await workspace.tree.write('index.mdx', '# Ours\n');
    const commit = await commitNow(workspace);
    await workspace.push({ commit, branch: 'shared', expected: null, credential });
    expect(await workspace.remoteBranch('shared')).toBe(commit);
    const theirs = repository.commit('shared', { 'index.mdx': '# Theirs\n' });
    await workspace.tree.write('index.mdx', '# Ours again\n');
    const again = await commitNow(workspace);
    for (const expected of [commit, null]) {
      await expect(
        workspace.push({ commit: again, branch: 'shared', expected, credential }),
      ).rejects.toMatchObject({ problem: 'push_conflict' });
    }
    expect(repository.tip('shared')).toBe(theirs);
    expect(await workspace.remoteBranch('shared')).toBe(theirs);
    expect(await workspace.remoteBranch('nothing')).toBeUndefined();
  });

  test('a follow-up starts from the branch and advances it', async () => {
    const repository = addRepository();
    const first = await open(repository.url);
    await first.tree.write('index.mdx', '# One\n');
    const one = await commitNow(first);
    await first.push({ commit: one, branch: 'job', expected: null, credential });
    const second = await open(repository.url, { ref: 'job' });
    expect(second.base).toMatchObject({ commit: one, branch: 'job' });
    await second.tree.write('index.mdx', '# Two\n');
    const two = await commitNow(second);
    await second.push({ commit: two, branch: 'job', expected: one, credential });
    expect(repository.git('log', '--format=%H', 'main..job').split('\n')).toEqual([two, one]);
  });

  test('a local repository accepts pushes', async () => {
    const { folder } = addRepository();
    const workspace = await open(folder, { allowLocal: true, credential: null });
    await workspace.tree.write('index.mdx', '# Changed\n');
    const commit = await commitNow(workspace);
    await workspace.push({ commit, branch: 'job', expected: null, credential: null });
    expect(await workspace.remoteBranch('job')).toBe(commit);
  });

  test('a rejected push reports the reason of the host, and a wrong credential as such', async () => {
    const repository = addRepository();
    const workspace = await open(repository.url);
    await workspace.tree.write('index.mdx', '# Changed\n');
    const push = { commit: await commitNow(workspace), branch: 'job', expected: null, credential };
    repository.refusePushes(`Branch names must begin with a ticket. You sent ${token}.`);
    const refusal = await workspace.push(push).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ problem: 'push_rejected' });
    expect(String(refusal)).toContain('Branch names must begin with a ticket. You sent ***.');
    repository.refusePushes(null);
    const wrong = { authorization: 'Bearer wrong', secret: 'wrong' };
    await expect(workspace.push({ ...push, credential: wrong })).rejects.toMatchObject({ problem: 'auth' });
    server.behaviour.statusFor = (path) => (path.includes('receive-pack') ? 502 : undefined);
    await expect(workspace.push(push)).rejects.toMatchObject({ problem: 'unavailable' });
    server.behaviour.statusFor = undefined;
    await expect(workspace.push({ ...push, branch: '--mirror' })).rejects.toMatchObject({
      code: 'source_refused',
    });
    const bearer = { authorization: `Bearer ${token}`, secret: token };
    await workspace.push({ ...push, credential: bearer });
    expect(repository.tip('job')).toBe(push.commit);
  });
});
