import { generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { startFakeBitbucketDataCenter } from '../../../../../test/fakes/forges/bitbucket-data-center.ts';
import { startFakeBitbucket } from '../../../../../test/fakes/forges/bitbucket.ts';
import { startFakeGitea } from '../../../../../test/fakes/forges/gitea.ts';
import { uuidOf } from '../../../../../test/fakes/forges/conversation.ts';
import { startFakeGithub, type FakeGithub } from '../../../../../test/fakes/forges/github.ts';
import { discussionOf } from '../../../../../test/fakes/forges/gitlab-review.ts';
import { startFakeGitlab } from '../../../../../test/fakes/forges/gitlab.ts';
import type { FakeForge } from '../../../../../test/fakes/forges/server.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Forge, ForgeKind, ForgeSettings } from '../../ports/forge.ts';
import { describeForge, type ForgeStage } from '../../../test/support/forge-suite.ts';
import { describeForgeReview } from '../../../test/support/forge-review-suite.ts';
import { HttpForges } from './forges.ts';

const policy = { allowedHosts: ['127.0.0.1'] };
const systemClock: Clock = { now: () => new Date() };
const never = new AbortController().signal;

const running: FakeForge[] = [];
afterEach(async () => {
  for (const fake of running.splice(0)) {
    await fake.stop();
    expect(fake.complaints).toEqual([]);
  }
});

async function started<Fake extends FakeForge>(fake: Promise<Fake>): Promise<Fake> {
  running.push(await fake);
  return fake;
}

interface Stage<Fake extends FakeForge> extends ForgeStage {
  fake: Fake;
  open(settings?: Partial<ForgeSettings>): Forge;
}

function stageOf<Fake extends FakeForge>(kind: ForgeKind, fake: Fake, clock = systemClock): Stage<Fake> {
  const pauses: number[] = [];
  const pause = (seconds: number) => Promise.resolve(void pauses.push(seconds));
  const forges = new HttpForges(() => policy, clock, { pause });
  const settings: ForgeSettings = {
    kind,
    repository: fake.repository,
    apiBase: kind === 'bitbucket' ? fake.apiBase : null,
    credential: { type: 'token', token: fake.token },
  };
  return { fake, pauses, open: (changes = {}) => forges.open({ ...settings, ...changes }) };
}

const all = { createsForks: true, allowsEdits: true };
describeForge('GitHub', async () => stageOf('github', await startFakeGithub()), all);
describeForge(
  'GitLab',
  async () => stageOf('gitlab', await startFakeGitlab({ path: 'harbour/team/docs' })),
  all,
);
describeForge('Gitea', async () => stageOf('gitea', await startFakeGitea()), all);
describeForge('Bitbucket Cloud', async () => stageOf('bitbucket', await startFakeBitbucket()), {
  createsForks: true,
  allowsEdits: false,
});
describeForge(
  'Bitbucket Data Center',
  async () => stageOf('bitbucket-data-center', await startFakeBitbucketDataCenter()),
  { createsForks: false, allowsEdits: false },
);

const threaded = ['comment', 'line'] as const;
const account = (login: string) => ({ id: uuidOf(login), login });
const onBitbucket = {
  threads: threaded,
  hasAnnotations: true,
  markerLine: (name: string) => `[//]: # (docyard:${name})`,
};
describeForgeReview('GitHub with a token', async () => stageOf('github', await startFakeGithub()), {
  threads: ['line'],
  hasAnnotations: false,
});
describeForgeReview('GitHub with an App', async () => appStageOf(await startFakeGithub()), {
  author: 'docyard-app[bot]',
  threads: ['line'],
  hasAnnotations: true,
});
describeForgeReview(
  'GitLab',
  async () => stageOf('gitlab', await startFakeGitlab({ path: 'harbour/team/docs' })),
  {
    threads: ['comment', 'line', 'review'],
    hasAnnotations: false,
    referenceOf: ({ id, kind }) => ({ kind, id: String(id), thread: discussionOf(id) }),
  },
);
describeForgeReview('Gitea', async () => stageOf('gitea', await startFakeGitea()), {
  threads: [],
  hasAnnotations: false,
});
describeForgeReview(
  'Bitbucket Cloud with an access token',
  async () => stageOf('bitbucket', await startFakeBitbucket()),
  { ...onBitbucket, hasAccount: false, accountOf: account },
);
describeForgeReview(
  'Bitbucket Cloud with a user token',
  async () => {
    const fake = await startFakeBitbucket();
    const { open, ...stage } = stageOf('bitbucket', fake);
    const credential = { type: 'token' as const, token: fake.token, username: 'ada@example.com' };
    return { ...stage, open: () => open({ credential }) };
  },
  { ...onBitbucket, accountOf: account },
);
describeForgeReview(
  'Bitbucket Data Center',
  async () => stageOf('bitbucket-data-center', await startFakeBitbucketDataCenter()),
  onBitbucket,
);

function appStageOf(fake: FakeGithub) {
  const { open, ...stage } = stageOf('github', fake);
  const { appId, privateKey } = fake.app;
  return { ...stage, open: () => open({ credential: { type: 'app', appId, privateKey } }) };
}

const wanted = { head: 'docs-agent/a', base: 'main', title: 'Fix links', body: 'Text', draft: false };

describe('GitHub', () => {
  test('a rate limit with a reset time is waited for', async () => {
    const clock = { now: () => new Date('2026-03-01T12:00:00Z') };
    const { fake, open, pauses } = stageOf('github', await started(startFakeGithub()), clock);
    const reset = String(clock.now().getTime() / 1000 + 12);
    fake.fail({ status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset } });
    expect(await open().defaultBranch(never)).toBe('main');
    expect(pauses).toEqual([12]);
  });

  test('a 403 without a rate limit is an authentication error', async () => {
    const { fake, open } = stageOf('github', await started(startFakeGithub()));
    fake.fail({ status: 403, body: { message: 'Resource not accessible by personal access token' } });
    await expect(open().defaultBranch(never)).rejects.toMatchObject({
      problem: 'auth',
      message: expect.stringContaining('Resource not accessible by personal access token') as unknown,
    });
  });

  test('a plan without drafts marks the title', async () => {
    const { fake, open } = stageOf('github', await started(startFakeGithub()));
    fake.hasDrafts = false;
    expect(await open().createPr({ ...wanted, draft: true }, never)).toMatchObject({ draft: false });
    expect(fake.pulls).toMatchObject([{ title: '[Draft] Fix links', draft: false }]);
    await open().updatePr(1, { title: 'Fix more links', body: '', draft: true }, never);
    expect(fake.pulls).toMatchObject([{ title: '[Draft] Fix more links', draft: false }]);
  });

  test('after a lost response the pull request is looked up', async () => {
    const fake = await started(startFakeGithub());
    const limits = { bytes: 4_000_000, seconds: 1 };
    const forges = new HttpForges(() => policy, systemClock, { pause: () => Promise.resolve(), limits });
    const credential = { type: 'token' as const, token: fake.token };
    const forge = forges.open({ kind: 'github', repository: fake.repository, apiBase: null, credential });
    fake.fail({ isSilent: true, afterwards: true, method: 'POST' });
    expect(await forge.createPr(wanted, never)).toMatchObject({ number: 1 });
    expect(fake.pulls).toHaveLength(1);
  });

  test('a response over the size limit is refused', async () => {
    const { fake, open } = stageOf('github', await started(startFakeGithub()));
    fake.fail(...Array.from({ length: 3 }, () => ({ status: 200, body: ' '.repeat(5_000_000) })));
    await expect(open().prState(1, never)).rejects.toMatchObject({ problem: 'unavailable' });
  });
});

describe('a GitHub App', () => {
  async function appStage() {
    const fake = await started(startFakeGithub());
    let now = Date.now();
    fake.now = () => now;
    const stage = stageOf('github', fake, { now: () => new Date(now) });
    const { appId, privateKey } = fake.app;
    const credential = { type: 'app' as const, appId, privateKey };
    return {
      ...stage,
      credential,
      forge: stage.open({ credential }),
      pass: (minutes: number) => (now += minutes * 60_000),
    };
  }

  test('the App gets an installation token for one repository with minimal permissions', async () => {
    const { fake, forge } = await appStage();
    expect(await forge.createPr(wanted, never)).toMatchObject({ number: 1 });
    const [installation, request, creation] = fake.requests;
    expect(installation?.path).toBe('/api/v3/repos/harbour/docs/installation');
    expect(request).toMatchObject({
      path: '/api/v3/app/installations/815/access_tokens',
      body: { repositories: ['docs'], permissions: { contents: 'write', pull_requests: 'write' } },
    });
    expect(creation?.authorization).toBe(`Bearer ${fake.appTokens[0]}`);
  });

  test('the token is cached until shortly before it expires, also for git', async () => {
    const { fake, forge, pass } = await appStage();
    await forge.defaultBranch(never);
    pass(54);
    expect(decoded(await forge.gitCredential(never))).toBe(`x-access-token:${fake.appTokens[0]}`);
    expect(fake.appTokens).toHaveLength(1);
    pass(2);
    expect(decoded(await forge.gitCredential(never))).toBe(`x-access-token:${fake.appTokens[1]}`);
    expect(fake.appTokens).toHaveLength(2);
  });

  test('a refused cached token is replaced', async () => {
    const { fake, forge } = await appStage();
    await forge.defaultBranch(never);
    fake.revokedTokens.add(fake.appTokens[0] ?? '');
    expect(await forge.defaultBranch(never)).toBe('main');
    expect(fake.appTokens).toHaveLength(2);
  });

  test('a cached token is not shared with another private key', async () => {
    const { fake, forge, open, credential } = await appStage();
    await forge.defaultBranch(never);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const stranger = open({ credential: { ...credential, privateKey: pem } });
    await expect(stranger.gitCredential(never)).rejects.toMatchObject({ problem: 'auth' });
    expect(fake.appTokens).toHaveLength(1);
  });

  test('check runs use a token with no other permission', async () => {
    const { fake, forge } = await appStage();
    const status = { key: 'docyard', title: 'T', description: 'D', targetUrl: null, annotations: [] };
    await forge.putStatus('a'.repeat(40), { ...status, state: 'success' }, never);
    const request = fake.requests.find(({ path }) => path.endsWith('/access_tokens'));
    expect(request?.body).toEqual({ repositories: ['docs'], permissions: { checks: 'write' } });
  });

  test('an App without the permission for checks still writes comments', async () => {
    const { fake, forge } = await appStage();
    fake.appPermissions = { contents: 'write', pull_requests: 'write' };
    await forge.createPr(wanted, never);
    const status = { key: 'docyard', title: 'T', description: 'D', targetUrl: null, annotations: [] };
    const { notes } = await forge.putStatus('a'.repeat(40), { ...status, state: 'success' }, never);
    expect(notes).toEqual([expect.stringMatching(/^Cannot set the check run: .*not granted/)]);
    await forge.putComment(1, { marker: 'preview', body: 'Ready' }, never);
    expect(fake.conversation.comments).toHaveLength(1);
  });

  test('an invalid key is reported without its content', async () => {
    const { open, credential } = await appStage();
    for (const privateKey of ['not-a-key-0123456789', credential.privateKey.slice(0, 400)]) {
      const opening = () => open({ credential: { ...credential, privateKey } });
      expect(opening).toThrow('The private key of the GitHub App cannot be read.');
    }
  });
});

describe('GitLab', () => {
  test('GitLab below a path of its host works with its API address', async () => {
    const fake = await started(startFakeGitlab());
    const { open } = stageOf('gitlab', fake);
    const repository = `${fake.origin}/harbour/docs`;
    expect(await open({ repository, apiBase: `${fake.apiBase}/` }).defaultBranch(never)).toBe('main');
    // The folder belongs to the address, not to the project.
    const forge = open({
      repository: `${fake.origin}/git/harbour/docs.git`,
      apiBase: `${fake.origin}/git/api/v4`,
    });
    await expect(forge.defaultBranch(never)).rejects.toMatchObject({ problem: 'not_found' });
    expect(fake.requests.at(-1)?.path).toBe('/git/api/v4/projects/harbour%2Fdocs');
  });
});

describe('comments on GitLab', () => {
  test('lines of a comment are not run as quick actions', async () => {
    const { fake, open } = stageOf('gitlab', await started(startFakeGitlab()));
    const forge = open();
    await forge.createPr(wanted, never);
    await forge.putComment(1, { marker: 'preview', body: 'Text\n/close\n  /merge' }, never);
    expect(fake.pulls).toMatchObject([{ state: 'open' }]);
    expect(fake.conversation.comments[0]?.body).toContain('\n\\/close\n  \\/merge');
  });
});

describe('comments on Bitbucket', () => {
  test('a comment of another access token is left alone', async () => {
    const { fake, open } = stageOf('bitbucket', await started(startFakeBitbucket()));
    const forge = open();
    await forge.createPr(wanted, never);
    fake.forking.account = 'another-token';
    await forge.putComment(1, { marker: 'preview', body: 'Theirs' }, never);
    fake.forking.account = 'docs-bot';
    fake.conversation.appUsers.push('another-token');
    await forge.putComment(1, { marker: 'preview', body: 'Ours' }, never);
    await forge.putComment(1, { marker: 'preview', body: 'Ours, changed' }, never);
    expect(fake.conversation.comments.map(({ author, body }) => [author, body.split('\n').at(-1)])).toEqual([
      ['another-token', 'Theirs'],
      ['docs-bot', 'Ours, changed'],
    ]);
  });
});

describe('Gitea', () => {
  test('a branch is found behind many others', async () => {
    const { fake, open } = stageOf('gitea', await started(startFakeGitea()));
    const forge = open();
    for (let number = 1; number <= 8; number++) {
      await forge.createPr({ ...wanted, head: `docs-agent/${number}` }, never);
    }
    expect(await forge.findPr('docs-agent/1', never)).toMatchObject({ number: 1 });
    expect(fake.requests.filter(({ method }) => method === 'GET')).toHaveLength(3);
  });
});

describe('Bitbucket', () => {
  test('a user token is sent with the email address to the API and a fixed user name to git', async () => {
    const { fake, open } = stageOf('bitbucket', await started(startFakeBitbucket()));
    const forge = open({ credential: { type: 'token', token: fake.token, username: 'ada@example.com' } });
    expect(await forge.defaultBranch(never)).toBe('main');
    expect(decoded(await forge.gitCredential(never))).toBe(`x-bitbucket-api-token-auth:${fake.token}`);
  });

  test('an update on Data Center keeps reviewers and retries after a concurrent change', async () => {
    const { fake, open } = stageOf('bitbucket-data-center', await started(startFakeBitbucketDataCenter()));
    const forge = open();
    await forge.createPr(wanted, never);
    const [pull] = fake.pulls;
    if (pull) pull.reviewers = ['ada', 'grace'];
    const message = 'You are attempting to modify a pull request based on out-of-date information.';
    fake.fail({ status: 409, method: 'PUT', body: { errors: [{ message }] } });
    await forge.updatePr(1, { title: 'New', body: 'Text' }, never);
    expect(fake.pulls).toMatchObject([{ title: 'New', reviewers: ['ada', 'grace'] }]);
  });

  test.each([
    ['/scm/DOC/manual.git', '/rest/api/1.0/projects/DOC/repos/manual/default-branch'],
    ['/scm/~ada/manual.git', '/rest/api/1.0/projects/~ada/repos/manual/default-branch'],
    ['/git/scm/DOC/manual.git', '/git/rest/api/1.0/projects/DOC/repos/manual/default-branch'],
    ['/projects/DOC/repos/manual', '/rest/api/1.0/projects/DOC/repos/manual/default-branch'],
    ['/users/ada/repos/manual', '/rest/api/1.0/projects/~ada/repos/manual/default-branch'],
  ])('the Data Center address %s uses %s', async (path, asked) => {
    const { fake, open } = stageOf('bitbucket-data-center', await started(startFakeBitbucketDataCenter()));
    await open({ repository: fake.origin + path })
      .defaultBranch(never)
      .catch(() => undefined);
    expect(fake.requests[0]?.path).toBe(asked);
  });
});

test('a plain git server uses the credential for pushes and has no pull requests', async () => {
  const forges = new HttpForges(() => ({ allowedHosts: [], offline: true }), systemClock);
  const credential = { type: 'token' as const, token: 'secret', username: 'ada' };
  const settings = { kind: 'bare' as const, repository: 'https://git.example.com/docs.git', apiBase: null };
  const forge = forges.open({ ...settings, credential });
  expect(await forge.createPr(wanted, never)).toBeUndefined();
  expect(await forge.findPr('a', never)).toBeUndefined();
  expect(decoded(await forge.gitCredential(never))).toBe('ada:secret');
  expect(await forges.open({ ...settings, credential: null }).gitCredential(never)).toBeNull();
  await expect(forge.prState(1, never)).rejects.toMatchObject({ problem: 'not_found' });
});

describe('the credential of git', () => {
  const repository = 'https://git.example.com/scm/harbour/docs.git';
  const token = 'a-token';
  test.each<[ForgeKind, string]>([
    ['github', 'x-access-token:a-token'],
    ['gitlab', 'oauth2:a-token'],
    ['gitea', 'oauth2:a-token'],
    ['bitbucket', 'x-token-auth:a-token'],
    ['bare', 'git:a-token'],
  ])('the credential on %s is %s', async (kind, expected) => {
    const settings = { kind, apiBase: null, credential: { type: 'token' as const, token } };
    const forge = new HttpForges(() => ({ allowedHosts: [] }), systemClock).open({
      ...settings,
      repository: 'https://git.example.com/harbour/docs.git',
    });
    expect(decoded(await forge.gitCredential(never))).toBe(expected);
  });

  test('Bitbucket Data Center uses a bearer token', async () => {
    const forges = new HttpForges(() => ({ allowedHosts: [] }), systemClock);
    const credential = { type: 'token' as const, token };
    const forge = forges.open({ kind: 'bitbucket-data-center', repository, apiBase: null, credential });
    expect(await forge.gitCredential(never)).toEqual({ authorization: 'Bearer a-token', secret: token });
  });
});

describe('invalid settings are refused before any request', () => {
  const forges = new HttpForges(() => ({ allowedHosts: [] }), systemClock);
  const good: ForgeSettings = {
    kind: 'github',
    repository: 'https://github.com/harbour/docs',
    apiBase: null,
    credential: null,
  };
  test.each<[string, Partial<ForgeSettings>]>([
    ['no owner', { repository: 'https://github.com/docs' }],
    ['too many segments', { repository: 'https://github.com/a/b/c' }],
    ['a parent folder', { repository: 'https://github.com/a/%2e%2e' }],
    ['an encoded slash', { repository: 'https://github.com/a/b%2Fc' }],
    ['invalid percent-encoding', { repository: 'https://github.com/a/%zz' }],
    ['another scheme', { repository: 'ssh://git@github.com/a/b' }],
    ['a password', { repository: 'https://ada:secret@github.com/a/b' }],
    ['an API with a query', { apiBase: 'https://api.example.com/?a=b' }],
    ['an API of another scheme', { apiBase: 'file:///etc/passwd' }],
    ['a token with a line break', { credential: { type: 'token', token: 'a\r\nX-Header: b' } }],
    ['an App of another forge', { kind: 'gitlab', credential: { type: 'app', appId: '1', privateKey: 'k' } }],
    ['a repository that is not on Data Center', { kind: 'bitbucket-data-center' }],
  ])('settings with %s are refused', (_, settings) => {
    expect(() => forges.open({ ...good, ...settings })).toThrow(
      expect.objectContaining({ name: 'ForgeError' }),
    );
    expect(() => forges.open(good)).not.toThrow();
  });
});

test('a private host is not called unless the operator lists it', async () => {
  const fake = await started(startFakeGithub());
  const forges = new HttpForges(() => ({ allowedHosts: [] }), systemClock);
  const credential = { type: 'token' as const, token: fake.token };
  const forge = forges.open({ kind: 'github', repository: fake.repository, apiBase: null, credential });
  await expect(forge.defaultBranch(never)).rejects.toMatchObject({ name: 'ForgeError', problem: 'rejected' });
  expect(fake.requests).toHaveLength(0);
});

describe('detecting the forge', () => {
  const forges = new HttpForges(() => policy, systemClock);

  test.each([
    ['https://github.com/harbour/docs', 'github'],
    ['https://harbour.ghe.com/harbour/docs', 'github'],
    ['https://gitlab.com/harbour/team/docs', 'gitlab'],
    ['https://codeberg.org/harbour/docs', 'gitea'],
    ['https://bitbucket.org/harbour/docs', 'bitbucket'],
    ['/srv/git/docs', 'bare'],
    ['file:///srv/git/docs', 'bare'],
  ])('the address of %s identifies %s', async (repository, kind) => {
    expect(
      await new HttpForges(() => ({ allowedHosts: [], offline: true }), systemClock).detect(
        repository,
        never,
      ),
    ).toBe(kind);
  });

  test.each<[ForgeKind, string, { status: number; headers?: Record<string, string>; body: unknown }]>([
    ['gitea', '/api/v1/version', { status: 200, body: { version: '1.24.0' } }],
    ['gitlab', '/api/v4/version', { status: 401, body: { message: '401 Unauthorized' } }],
    ['github', '/api/v3/meta', { status: 401, headers: { 'x-github-request-id': 'A' }, body: {} }],
    [
      'bitbucket-data-center',
      '/rest/api/1.0/application-properties',
      { status: 200, body: { version: '9.4.0', displayName: 'Bitbucket' } },
    ],
  ])('a self-hosted %s is detected without a credential', async (kind, path, answer) => {
    const fake = await started(startFakeBitbucket());
    const earlier = [
      '/api/v1/version',
      '/api/v4/version',
      '/api/v3/meta',
      '/rest/api/1.0/application-properties',
    ];
    const before = earlier.slice(0, earlier.indexOf(path)).map(() => ({ status: 404, body: 'nothing' }));
    fake.fail(...before, answer);
    expect(await forges.detect(fake.repository, never)).toBe(kind);
    expect(fake.requests.at(-1)).toMatchObject({ path, authorization: undefined });
  });

  test('an unavailable host is not treated as plain git', async () => {
    const fake = await started(startFakeBitbucket());
    fake.fail(...Array.from({ length: 4 }, () => ({ status: 503 })));
    await expect(forges.detect(fake.repository, never)).rejects.toMatchObject({ problem: 'unavailable' });
    const offline = new HttpForges(() => ({ allowedHosts: [], offline: true }), systemClock);
    await expect(offline.detect(fake.repository, never)).rejects.toMatchObject({ problem: 'unavailable' });
  });

  test('a host without a forge API is plain git', async () => {
    const fake = await started(startFakeBitbucket());
    expect(await forges.detect(fake.repository, never)).toBe('bare');
  });
});

function decoded(credential: { authorization: string } | null): string {
  return Buffer.from(credential?.authorization.replace(/^Basic /, '') ?? '', 'base64').toString();
}
