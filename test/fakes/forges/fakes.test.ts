/** The fakes reject what the real forges would reject; otherwise the tests of the adapters would prove nothing. */
import { afterEach, describe, expect, test } from 'vitest';
import { startFakeBitbucketDataCenter } from './bitbucket-data-center.ts';
import { startFakeBitbucket } from './bitbucket.ts';
import { startFakeGitea } from './gitea.ts';
import { startFakeGithub } from './github.ts';
import { startFakeGitlab } from './gitlab.ts';
import type { FakeForge } from './server.ts';

const running: FakeForge[] = [];
afterEach(async () => {
  for (const fake of running.splice(0)) await fake.stop();
});

interface Case {
  start: () => Promise<FakeForge>;
  scheme: string;
  /** The list of pull requests, below the base. */
  list: string;
  /** A valid body of a create request. */
  good: Record<string, unknown>;
}

const branch = (name: string) => ({ branch: { name } });
const end = (name: string) => ({
  id: `refs/heads/${name}`,
  repository: { slug: 'docs', project: { key: 'harbour' } },
});
const cases: Record<string, Case> = {
  GitHub: {
    start: startFakeGithub,
    scheme: 'Bearer',
    list: '/repos/harbour/docs/pulls',
    good: { head: 'a', base: 'main', title: 'T', body: '', draft: false },
  },
  GitLab: {
    start: startFakeGitlab,
    scheme: 'Bearer',
    list: '/projects/harbour%2Fdocs/merge_requests',
    good: { source_branch: 'a', target_branch: 'main', title: 'T', description: '' },
  },
  Gitea: {
    start: startFakeGitea,
    scheme: 'token',
    list: '/repos/harbour/docs/pulls',
    good: { head: 'a', base: 'main', title: 'T', body: '' },
  },
  Bitbucket: {
    start: startFakeBitbucket,
    scheme: 'Bearer',
    list: '/repositories/harbour/docs/pullrequests',
    good: { title: 'T', description: '', source: branch('a'), destination: branch('main') },
  },
  'Bitbucket Data Center': {
    start: startFakeBitbucketDataCenter,
    scheme: 'Bearer',
    list: '/projects/harbour/repos/docs/pull-requests',
    good: { title: 'T', description: '', fromRef: end('a'), toRef: end('main') },
  },
};

describe.each(Object.entries(cases))('%s', (_, { start, scheme, list, good }) => {
  async function ask(query: string, body?: Record<string, unknown>, credential?: string) {
    const fake = await start();
    running.push(fake);
    const response = await fetch(fake.apiBase + list + query, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: credential ?? `${scheme} ${fake.token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { fake, status: response.status };
  }

  test('takes what is described', async () => {
    const { fake, status } = await ask('', good);
    expect({ status, complaints: fake.complaints }).toEqual({ status: 201, complaints: [] });
    expect(fake.pulls).toMatchObject([{ title: 'T', head: 'a', base: 'main', state: 'open' }]);
  });

  test('complains about a field, a kind of value and a parameter that are not described', async () => {
    expect((await ask('', { ...good, titel: 'T' })).fake.complaints).not.toEqual([]);
    expect((await ask('', { ...good, title: 7 })).fake.complaints).not.toEqual([]);
    expect((await ask('?branch=a')).fake.complaints).not.toEqual([]);
  });

  test('another credential is refused', async () => {
    const { fake, status } = await ask('', good, `${scheme} guessed`);
    expect(status).toBe(401);
    expect(fake.pulls).toEqual([]);
  });
});
