import { idOf, uuidOf } from '../../../../../test/fakes/forges/conversation.ts';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import {
  commentWebhook,
  pullRequestWebhook,
} from '../../../../../test/fakes/forges/pull-request-webhooks.ts';
import {
  webhookForges,
  type WebhookForge,
  type WebhookRequest,
} from '../../../../../test/fakes/forges/webhook-request.ts';
import type { PullRequestAction } from '../../../../../test/fakes/forges/webhooks/pull-request.ts';
import { identifyDelivery } from '../delivery.ts';
import type { CommentDetails, EventContent, PullRequestDetails } from './event-content.ts';
import { readPayload } from './read-payload.ts';

const require = createRequire(import.meta.url);
const repository = 'https://git.example.com/acme/docs.git';
const fork = 'https://git.example.com/grace/docs.git';
const headCommit = 'c'.repeat(40);
const mergeCommit = 'd'.repeat(40);
const secret = 'secret';
const isCloud = (forge: WebhookForge) => forge === 'bitbucket';

function read({ headers, body }: WebhookRequest): EventContent[] {
  const delivery = identifyDelivery((name) => headers[name], Buffer.from(body));
  if (delivery === undefined) throw new Error('The request has no headers of a forge.');
  return readPayload(delivery, JSON.parse(body));
}

const pullRequestIn = ([content]: EventContent[]) =>
  (content?.details as PullRequestDetails | undefined)?.pullRequest;

describe.each(webhookForges)('a pull request of %s', (forge) => {
  const actions = (['opened', 'updated', 'closed', 'merged', 'reopened'] as PullRequestAction[]).filter(
    (action) => action !== 'reopened' || !forge.startsWith('bitbucket'),
  );

  test.each(actions)('is read when it is %s', (action) => {
    const merged = action === 'merged' ? { mergeCommit } : {};
    const sent = { secret, repository, headCommit, action, actor: 'grace', number: 12, ...merged };
    const [event] = read(pullRequestWebhook(forge, sent));
    const state = action === 'merged' || action === 'closed' ? action : 'open';
    const commit = isCloud(forge) ? headCommit.slice(0, 12) : headCommit;
    expect(event).toMatchObject({
      kind: 'pull_request',
      ref: 'refs/heads/topic',
      after: commit,
      actor: 'grace',
      ignoredBecause: null,
      details: {
        action,
        pullRequest: {
          number: 12,
          title: 'Describe the new flag',
          state,
          draft: false,
          headBranch: 'topic',
          headCommit: commit,
          isFork: false,
          baseBranch: 'main',
          mergeCommit: action === 'merged' ? (isCloud(forge) ? mergeCommit.slice(0, 12) : mergeCommit) : null,
        },
      },
    });
  });

  test('from a fork is recognized', () => {
    const sent = { secret, repository, headCommit, action: 'opened' as const, fork };
    const pullRequest = pullRequestIn(read(pullRequestWebhook(forge, sent)));
    expect(pullRequest?.isFork).toBe(true);
    expect(pullRequest?.headRepositoryUrls[0]).toMatch(/grace\/docs/);
  });

  test('keeps no control characters in its title and no more of its text than can be stored', () => {
    const sent = { secret, repository, headCommit, action: 'opened' as const };
    const hostile = { title: 'a\u0007\u001b[31m\nb', body: `\u0000first\r\n\tsecond${'x'.repeat(100_000)}` };
    const pullRequest = pullRequestIn(read(pullRequestWebhook(forge, { ...sent, ...hostile })));
    expect(pullRequest?.title).toBe('a  [31m b');
    expect(pullRequest?.body).toMatch(/^first\r\n\tsecondx{19000}/);
    expect(pullRequest?.body.length).toBe(20_000);
  });
});

test.each(['github', 'gitea', 'bitbucket'] as const)(
  'a pull request of %s from a deleted fork is one of a fork without an address',
  (forge) => {
    const sent = { secret, repository, headCommit, action: 'closed' as const, fork: null };
    const pullRequest = pullRequestIn(read(pullRequestWebhook(forge, sent)));
    expect(pullRequest).toMatchObject({ isFork: true, headRepositoryUrls: [] });
  },
);

describe.each(webhookForges)('a comment of %s', (forge) => {
  const about = { secret, repository, headCommit, number: 12 };

  test('on a pull request is read', () => {
    const comment = { id: 81, body: '@docyard Name the default.\nAnd the unit.', author: 'grace' };
    const authorId = forge === 'bitbucket' ? uuidOf('grace') : String(idOf('grace'));
    const [event] = read(commentWebhook(forge, { ...about, comment }));
    expect(event).toMatchObject({ kind: 'comment', actor: 'grace', ignoredBecause: null });
    expect(event?.details).toMatchObject({
      pullRequestNumber: 12,
      comment: { id: '81', body: comment.body, author: 'grace', authorId, isBot: false, reviewState: null },
    });
  });

  test.skipIf(forge === 'gitea')('on a line has its file and line', () => {
    const comment = { id: 82, body: 'Wrong.', path: 'guides/start.mdx', line: 14 };
    const [event] = read(commentWebhook(forge, { ...about, comment }));
    const details = event?.details as CommentDetails | undefined;
    expect(details?.comment).toMatchObject({ path: 'guides/start.mdx', line: 14 });
    expect(details?.comment.threadId).toEqual(expect.any(String));
  });

  test.skipIf(forge === 'gitlab')('is a review when changes are requested', () => {
    const comment = { id: 83, body: 'Please shorten it.', review: 'changes_requested' as const };
    const [event] = read(commentWebhook(forge, { ...about, comment }));
    expect(event).toMatchObject({
      kind: 'review',
      details: { comment: { reviewState: 'changes_requested' } },
    });
  });
});

interface Example {
  action?: string;
}

describe('events of GitHub', () => {
  const published = require('@octokit/webhooks-examples') as { name: string; examples: Example[] }[];
  const schema = require('@octokit/webhooks-schemas/schema.json') as { definitions: Record<string, object> };
  const names = [
    'push',
    'pull_request',
    'issue_comment',
    'pull_request_review',
    'pull_request_review_comment',
  ];

  test.each(names)('%s: every published example is understood', (name) => {
    const examples = published.find((each) => each.name === name)?.examples ?? [];
    expect(examples.length).toBeGreaterThan(3);
    for (const payload of examples) {
      const contents = readPayload({ forge: 'github', name, deliveryId: '1' }, payload);
      for (const { ignoredBecause } of contents)
        expect(ignoredBecause ?? 'has no effect').toMatch(/has no effect/);
    }
  });

  test('of the tests agree with the published schema', () => {
    const ajv = new Ajv({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema(schema, 'webhooks');
    const about = { secret, repository, headCommit };
    const actions: PullRequestAction[] = ['opened', 'updated', 'edited', 'closed', 'merged', 'reopened'];
    const sent: [string, WebhookRequest][] = [
      ...actions.map((action): [string, WebhookRequest] => [
        'pull_request',
        pullRequestWebhook('github', { ...about, action, ...(action === 'merged' ? { mergeCommit } : {}) }),
      ]),
      ['issue_comment', commentWebhook('github', { ...about, comment: { id: 1, body: 'a' } })],
      [
        'pull_request_review_comment',
        commentWebhook('github', { ...about, comment: { id: 2, body: 'a', path: 'a.mdx', line: 3 } }),
      ],
      [
        'pull_request_review',
        commentWebhook('github', { ...about, comment: { id: 3, body: 'a', review: 'approved' } }),
      ],
    ];
    const problemsOf = (name: string, payload: Example): string[] => {
      const validate = ajv.getSchema(`webhooks#/definitions/${name}$${payload.action}`);
      if (validate === undefined) throw new Error(`There is no schema of ${name} ${payload.action}.`);
      void validate(payload);
      return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
    };
    for (const [name, { body }] of sent) {
      const payload = JSON.parse(body) as Example;
      // The examples are older than some required fields of the schema.
      const old = (published.find((each) => each.name === name)?.examples ?? [])
        .filter(({ action }) => action === payload.action)
        .flatMap((each) => problemsOf(name, each));
      const known = new Set(old);
      expect(problemsOf(name, payload).filter((problem) => !known.has(problem))).toEqual([]);
    }
  });
});

test('an event of an unknown type names what to send', () => {
  const names = ['star', 'constructor', '__proto__'];
  for (const name of names) {
    const [event] = readPayload({ forge: 'github', name, deliveryId: '1' }, {});
    expect(event).toMatchObject({ kind: 'other', ignoredBecause: expect.stringContaining(name) as string });
  }
});
