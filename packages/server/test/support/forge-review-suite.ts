/** The contract of comments, statuses and reads of pull requests. Each adapter runs it against its fake. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addComment, commitHash, idOf } from '../../../../test/fakes/forges/conversation.ts';
import type { FakeForge, FakePull } from '../../../../test/fakes/forges/server.ts';
import type { Forge } from '../../src/ports/forge.ts';
import type { CommentReference, CommitStatus, ForgeAccount } from '../../src/ports/forge-review.ts';

export interface ReviewStage {
  open(): Forge;
  fake: FakeForge;
  /** The pauses that the adapter requested; the tests do not wait. */
  pauses: number[];
}

export interface ReviewFeatures {
  /** The account that the credential belongs to in comments. */
  author?: string;
  /** False for credentials without an account. */
  hasAccount?: boolean;
  accountOf?(login: string): ForgeAccount;
  referenceOf?(comment: { id: number; kind: CommentReference['kind'] }): CommentReference;
  /** Kinds of comments with threads. */
  threads: readonly CommentReference['kind'][];
  hasAnnotations: boolean;
  markerLine?(marker: string): string;
}

const never = new AbortController().signal;
const commit = commitHash('head 1');
const status: CommitStatus = {
  key: 'docyard/preview',
  state: 'pending',
  title: 'Preview',
  description: 'The preview is being built.',
  targetUrl: 'https://docs.example.com/preview',
  annotations: [],
};

export function describeForgeReview(
  name: string,
  start: () => Promise<ReviewStage>,
  features: ReviewFeatures,
): void {
  const {
    author = 'docs-bot',
    hasAccount = true,
    accountOf = (login) => ({ id: String(idOf(login)), login }),
    referenceOf = ({ id, kind }) => ({ kind, id: String(id), thread: null }),
    markerLine = (marker) => `<!-- docyard:${marker} -->`,
    threads,
    hasAnnotations,
  } = features;

  describe(`reviews on ${name}`, () => {
    let stage: ReviewStage;
    let forge: Forge;
    let pull: FakePull;
    beforeEach(async () => {
      stage = await start();
      forge = stage.open();
      const made = await forge.createPr(
        { head: 'docs-agent/a', base: 'main', title: 'Fix links', body: '', draft: false },
        never,
      );
      const found = stage.fake.pulls.find(({ number }) => number === made?.number);
      if (found === undefined) throw new Error('Expected a pull request.');
      pull = found;
      stage.fake.requests.splice(0);
    });
    afterEach(async () => {
      await stage.fake.stop();
      expect(stage.fake.complaints).toEqual([]);
    });
    const comments = () => stage.fake.conversation.comments;
    const writes = () => stage.fake.requests.filter(({ method }) => method !== 'GET').length;
    const put = (body: string, marker = 'preview') => stage.open().putComment(1, { marker, body }, never);

    test('a pull request is read with its commits, its repository and its author', async () => {
      expect(await forge.readPr(1, never)).toEqual({
        number: 1,
        url: expect.stringMatching(/^http.*\/1$/) as unknown,
        title: 'Fix links',
        state: 'open',
        draft: false,
        head: 'docs-agent/a',
        base: 'main',
        headCommit: pull.headCommit,
        baseCommit: pull.baseCommit,
        headRepository: stage.fake.repository,
        isFork: false,
        author: expect.objectContaining(accountOf('docs-bot')) as unknown,
        isMergeable: forge.kind === 'bitbucket' ? null : true,
      });
      pull.isMergeable = false;
      pull.state = 'merged';
      expect(await forge.readPr(1, never)).toMatchObject({ state: 'merged' });
    });

    test('a pull request from a fork names the fork, and a deleted fork has no address', async () => {
      pull.isFork = true;
      const { headRepository, isFork } = await forge.readPr(1, never);
      expect(isFork).toBe(true);
      expect(headRepository).toMatch(/stranger\/docs\.git$/);
      if (forge.kind === 'bitbucket-data-center') return;
      pull.isHeadDeleted = true;
      expect(await forge.readPr(1, never)).toMatchObject({ isFork: true, headRepository: null });
    });

    test('a conflict with the base is reported where the forge computes it', async () => {
      pull.isMergeable = false;
      const { isMergeable } = await forge.readPr(1, never);
      expect(isMergeable).toBe(forge.kind === 'bitbucket' ? null : false);
    });

    test('all changed paths are listed over several pages', async () => {
      pull.changes = Array.from({ length: 230 }, (_, index) => ({ path: `docs/${index}.mdx` }));
      pull.changes[200] = { path: 'docs/new.mdx', from: 'docs/old.mdx' };
      const { paths, isComplete } = await forge.listChangedPaths(1, never);
      expect(isComplete).toBe(true);
      expect(paths).toHaveLength(231);
      expect(paths).toEqual(
        expect.arrayContaining(['docs/0.mdx', 'docs/new.mdx', 'docs/old.mdx', 'docs/229.mdx']),
      );
    });

    test('a comment is created once and then updated', async () => {
      const first = await put('Building');
      expect(comments()).toMatchObject([{ pull: 1, author, body: `${markerLine('preview')}\n\nBuilding` }]);
      expect(await put('Ready')).toEqual(first);
      await put('Another', 'review/1');
      expect(comments().map(({ body }) => body)).toEqual([
        `${markerLine('preview')}\n\nReady`,
        `${markerLine('review/1')}\n\nAnother`,
      ]);
    });

    test('an equal comment is not written again', async () => {
      await put('Ready\nin two lines');
      for (const comment of comments()) comment.body = `${comment.body.replaceAll('\n', '\r\n')}\r\n`;
      const before = writes();
      await put('Ready\nin two lines');
      expect(writes()).toBe(before);
    });

    test('the comment is found behind many others', async () => {
      for (let index = 0; index < 230; index++)
        addComment(stage.fake.conversation, { pull: 1, author, body: `Comment ${index}` });
      await put('Building');
      for (let index = 0; index < 230; index++)
        addComment(stage.fake.conversation, { pull: 1, author: 'ada', body: `Later ${index}` });
      await put('Ready');
      expect(comments().filter(({ body }) => body.includes('Ready'))).toHaveLength(1);
      expect(comments()).toHaveLength(461);
    });

    test('a comment of another account with the marker is never changed', async () => {
      const forged = `${markerLine('preview')}\n\nClick [here](https://evil.example)`;
      addComment(stage.fake.conversation, { pull: 1, author: 'mallory', body: forged });
      await put('Building');
      await put('Ready');
      expect(comments()).toMatchObject([
        { author: 'mallory', body: forged },
        { author, body: `${markerLine('preview')}\n\nReady` },
      ]);
    });

    test('an own comment that only quotes the marker is not replaced', async () => {
      addComment(stage.fake.conversation, { pull: 1, author, body: `> ${markerLine('preview')}\n\nA quote` });
      await put('Ready');
      expect(comments().map(({ body }) => body)[0]).toContain('A quote');
      expect(comments()).toHaveLength(2);
    });

    test('a lost response does not cause a second comment', async () => {
      stage.fake.fail({ status: 502, method: 'POST', afterwards: true });
      await put('Ready');
      await put('Ready');
      expect(comments()).toHaveLength(1);
    });

    test('a failure between the lookup and the creation is repeated with a lookup', async () => {
      stage.fake.fail({ status: 503, method: 'POST' }, { status: 500, method: 'GET' });
      await put('Ready');
      expect(comments()).toHaveLength(1);
    });

    test('a secondary rate limit is waited for', async () => {
      const message = 'You have exceeded a secondary rate limit.';
      const answer = forge.kind === 'github' ? 403 : 429;
      stage.fake.fail({
        status: answer,
        headers: { 'retry-after': '9' },
        method: 'POST',
        body: { message, error: { message }, errors: [{ message }] },
      });
      await put('Ready');
      expect(stage.pauses).toContain(9);
      expect(comments()).toHaveLength(1);
    });

    test('a comment that is too long is truncated behind its marker', async () => {
      await put('A line of text\n'.repeat(80_000));
      const [made] = comments();
      expect(made?.body.startsWith(`${markerLine('preview')}\n\nA line`)).toBe(true);
      expect(made?.body.endsWith('…')).toBe(true);
      await put('Short');
      expect(comments()).toHaveLength(1);
    });

    test('a marker that would end the hidden line is refused', async () => {
      for (const marker of ['a --> b', 'a)b', 'a\nb', ''])
        await expect(put('Text', marker)).rejects.toThrow('is not a marker');
    });

    test.each(['comment', 'line', 'review'] as const)('the reply to a %s is written once', async (kind) => {
      const { id } = addComment(stage.fake.conversation, {
        pull: 1,
        kind: kind === 'line' ? 'line' : 'comment',
        author: 'ada',
        body: 'Please fix',
      });
      const reply = (body: string) =>
        stage.open().replyTo(1, referenceOf({ id, kind }), { marker: `reply/${id}`, body }, never);
      stage.fake.fail({ status: 502, method: 'POST', afterwards: true });
      await reply('Fixed');
      await reply('Fixed in two files');
      const replies = comments().filter((comment) => comment.author === author);
      expect(replies).toMatchObject([
        {
          pull: 1,
          parent: threads.includes(kind) ? id : null,
          body: `${markerLine(`reply/${id}`)}\n\nFixed in two files`,
        },
      ]);
    });

    test('the reply to a deleted comment is a comment on the pull request', async () => {
      const reference = referenceOf({ id: 999, kind: 'line' });
      await forge.replyTo(1, reference, { marker: 'reply/999', body: 'Fixed' }, never);
      expect(comments()).toMatchObject([{ pull: 1, parent: null, author }]);
    });

    const visible = () => {
      const found = stage.fake.conversation.statuses.filter((one) => one.commit === commit);
      return { count: found.length, newest: found.at(-1) };
    };

    test('a status is updated, and an equal one is not repeated', async () => {
      expect(await forge.putStatus(commit, status, never)).toEqual({ annotations: 0, notes: [] });
      await forge.putStatus(commit, status, never);
      expect(visible().count).toBe(1);
      expect(visible().newest?.state).toMatch(/^(pending|in_progress|INPROGRESS)$/);
      const done: CommitStatus = { ...status, state: 'success', description: 'The preview is ready.' };
      await forge.putStatus(commit, done, never);
      await forge.putStatus(commit, done, never);
      expect(visible().count).toBeLessThanOrEqual(2);
      expect(visible().newest).toMatchObject({
        state: expect.stringMatching(/^success(ful)?$/i) as unknown,
        description: 'The preview is ready.',
        targetUrl: status.targetUrl,
      });
    });

    test('a failure and a neutral state are shown', async () => {
      await forge.putStatus(commit, { ...status, state: 'failure' }, never);
      expect(visible().newest?.state).toMatch(/^fail(ure|ed)$/i);
      await forge.putStatus(commit, { ...status, state: 'neutral', targetUrl: null }, never);
      expect(visible().newest?.state).toMatch(/^(neutral|success|successful)$/i);
    });

    test('long keys and texts fit the limits of the forge', async () => {
      const long = { ...status, key: `docyard/${'k'.repeat(60)}`, description: 'Ü'.repeat(400) };
      expect((await forge.putStatus(commit, long, never)).notes).toEqual([]);
      expect((await forge.putStatus(commit, { ...long, key: `${long.key}2` }, never)).notes).toEqual([]);
      expect(new Set(stage.fake.conversation.statuses.map(({ key }) => key)).size).toBe(2);
    });

    const annotated = (length: number, message: string): CommitStatus => ({
      ...status,
      state: 'failure',
      annotations: Array.from({ length }, (_, index) => ({
        path: `docs/page-${index}.mdx`,
        startLine: index + 1,
        level: 'warning',
        message: `${message} ${index}\nwith a second line`,
      })),
    });

    test('annotations are shown once, or counted as not shown', async () => {
      const wanted = annotated(120, 'Broken link');
      const result = await forge.putStatus(commit, wanted, never);
      expect(result).toEqual({ annotations: hasAnnotations ? 120 : 0, notes: [] });
      await forge.putStatus(commit, wanted, never);
      const shown = stage.fake.conversation.annotations;
      expect(shown).toHaveLength(hasAnnotations ? 120 : 0);
      expect(new Set(shown.map(({ path }) => path)).size).toBe(shown.length);
      if (hasAnnotations) expect(shown[0]).toMatchObject({ path: 'docs/page-0.mdx', line: 1 });
    });

    test.runIf(hasAnnotations)('annotations are complete after a failure between two batches', async () => {
      const wanted = annotated(120, 'Broken link');
      const failed = { status: 500 };
      for (let requests = 1; requests < 6; requests++) {
        const ok = Array.from({ length: requests }, () => ({ status: 502, afterwards: true }));
        stage.fake.fail(...ok, failed, failed, failed);
        await forge.putStatus(commit, wanted, never).catch(() => undefined);
      }
      await drain();
      await forge.putStatus(commit, wanted, never);
      const paths = stage.fake.conversation.annotations.map(({ path }) => path);
      expect(new Set(paths).size).toBe(120);
    });

    /** Uses up the faults that are left. */
    async function drain(): Promise<void> {
      for (let tries = 0; tries < 60; tries++) {
        const isWorking = await forge.prState(1, never).then(
          () => true,
          () => false,
        );
        if (isWorking) return;
      }
    }

    test('a status that the forge refuses becomes a note', async () => {
      stage.fake.fail(...Array.from({ length: 20 }, () => ({ status: 403 })));
      const { annotations, notes } = await forge.putStatus(commit, annotated(1, 'Broken'), never);
      expect(annotations).toBe(0);
      expect(notes.length).toBeGreaterThan(0);
      for (const note of notes) expect(note).toMatch(/^Cannot set the .*denied access/);
    });

    test('an unavailable forge fails the status, so that the caller repeats it', async () => {
      stage.fake.fail(...Array.from({ length: 20 }, () => ({ status: 503 })));
      await expect(forge.putStatus(commit, status, never)).rejects.toMatchObject({ problem: 'unavailable' });
    });

    test('only accounts with write access can write', async () => {
      expect(await forge.canWrite(accountOf('ada'), never)).toBe(true);
      expect(await forge.canWrite(accountOf('grace'), never)).toBe(false);
      expect(await forge.canWrite(accountOf('mallory'), never)).toBe(false);
      expect(await forge.canWrite({ id: '424242', login: 'stranger' }, never)).toBe(false);
    });

    test('an account that took the name of a writer cannot write', async () => {
      const { login } = accountOf('ada');
      const { id } = accountOf('mallory');
      expect(await forge.canWrite({ id, login }, never)).toBe(false);
    });

    test('the account of the credential is known, or known to be none', async () => {
      const own = await forge.ownAccount(never);
      expect(own).toEqual(hasAccount ? accountOf(author) : null);
    });

    test('an unknown pull request is not found', async () => {
      await expect(forge.readPr(404, never)).rejects.toMatchObject({ problem: 'not_found' });
    });
  });
}
