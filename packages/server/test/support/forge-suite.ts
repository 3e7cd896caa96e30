/** The contract of every forge with pull requests. Each adapter runs it against its fake. */
import { forgeFields } from '@docyard/api/constants';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fakeLabels, fakeTeam } from '../../../../test/fakes/forges/server.ts';
import type { Forge, ForgeError, ForgeSettings, NewPr, PrDetails } from '../../src/ports/forge.ts';

/** The fake server of a forge. */
export interface ForgeStage {
  /** With the right credential unless the settings override it. */
  open(settings?: Partial<ForgeSettings>): Forge;
  fake: {
    token: string;
    pulls: {
      number: number;
      title: string;
      body: string;
      draft: boolean;
      state: 'open' | 'closed' | 'merged';
      isFork: boolean;
      labels: string[];
      reviewers: string[];
      teams: string[];
      assignees: string[];
      from: string | null;
      maintainersMayEdit: boolean;
    }[];
    forking: {
      forks: { path: string; pendingChecks: number }[];
      account: string;
      pendingChecks: number;
    };
    origin: string;
    requests: { method: string }[];
    complaints: string[];
    fail(
      ...faults: {
        status?: number;
        headers?: Record<string, string>;
        body?: unknown;
        afterwards?: boolean;
        isSilent?: boolean;
        method?: string;
      }[]
    ): void;
    stop(): Promise<void>;
  };
  /** The pauses that the adapter requested; the tests do not wait. */
  pauses: number[];
}

const never = new AbortController().signal;
const head = 'docs-agent/fix-links-a1b2c3';
const wanted: NewPr = {
  head,
  base: 'main',
  title: 'Fix links to “Größe”',
  body: 'Two lines\n\n- with `code` & <tags>',
  draft: false,
};

export interface ForgeFeatures {
  /** Forks are created through the API. */
  createsForks: boolean;
  /** Pull requests from forks allow edits by maintainers. */
  allowsEdits: boolean;
}

export function describeForge(
  name: string,
  start: () => Promise<ForgeStage>,
  { createsForks, allowsEdits }: ForgeFeatures,
): void {
  describe(`pull requests on ${name}`, () => {
    let stage: ForgeStage;
    let forge: Forge;
    beforeEach(async () => {
      stage = await start();
      forge = stage.open();
    });
    afterEach(async () => {
      await stage.fake.stop();
      expect(stage.fake.complaints).toEqual([]);
    });
    const create = async (more: Partial<NewPr> = {}) => {
      const pr = await forge.createPr({ ...wanted, ...more }, never);
      if (pr === undefined) throw new Error('Expected a pull request.');
      return pr;
    };

    test('a pull request is created with the requested content', async () => {
      const pr = await create();
      expect(pr).toMatchObject({ number: 1, state: 'open', draft: false, head, base: 'main' });
      expect(new URL(pr.url).pathname).toMatch(/\/1$/);
      const [made] = stage.fake.pulls;
      expect(made).toMatchObject({ title: wanted.title, body: wanted.body, draft: false });
    });

    test('a body that is too long for the forge is truncated', async () => {
      const pr = await create({ body: 'A line of text\n'.repeat(4000) });
      await forge.updatePr(pr.number, { title: 'T', body: 'Another line\n'.repeat(4600) }, never);
      const [made] = stage.fake.pulls;
      expect(made?.body.startsWith('Another line\nAnother line\n')).toBe(true);
      expect(made?.body.length).toBeGreaterThan(30_000);
    });

    test('a pull request is found by its branch', async () => {
      expect(await forge.findPr(head, never)).toBeUndefined();
      const pr = await create();
      expect(await forge.findPr(head, never)).toEqual(pr);
      expect(await forge.findPr('docs-agent/other', never)).toBeUndefined();
    });

    test('a pull request from a branch of the same name in a fork is ignored', async () => {
      await create();
      for (const pull of stage.fake.pulls) pull.isFork = true;
      expect(await forge.findPr(head, never)).toBeUndefined();
    });

    test('creating a pull request again returns the existing one', async () => {
      const first = await create();
      expect(await create({ title: 'Another title' })).toEqual(first);
      expect(stage.fake.pulls).toHaveLength(1);
    });

    test('a lost response does not cause a second pull request', async () => {
      stage.fake.fail({ status: 502, method: 'POST', afterwards: true });
      expect(await create()).toMatchObject({ number: 1, state: 'open' });
      expect(stage.fake.pulls).toHaveLength(1);
    });

    test('a temporary failure is retried', async () => {
      stage.fake.fail({ status: 503, method: 'POST' }, { status: 500, method: 'GET' });
      const pr = await create();
      stage.fake.fail({ status: 500 });
      expect(await forge.prState(pr.number, never)).toEqual(pr);
      expect(stage.fake.pulls).toHaveLength(1);
    });

    test('a permanent failure is reported after a few attempts', async () => {
      stage.fake.fail(...Array.from({ length: 20 }, () => ({ status: 500 })));
      expect(await failureOf(create())).toMatchObject({ problem: 'unavailable' });
      expect(stage.fake.requests.length).toBeLessThanOrEqual(10);
    });

    test('a draft stays a draft when its text changes', async () => {
      const pr = await create({ draft: true });
      expect(pr.draft).toBe(true);
      expect(await forge.findPr(head, never)).toEqual(pr);
      const text = { title: 'Fix more links', body: 'New text' };
      expect(await forge.updatePr(pr.number, text, never)).toEqual(pr);
      expect(stage.fake.pulls[0]).toMatchObject({ body: 'New text', draft: true });
      expect(stage.fake.pulls[0]?.title).toMatch(/^(Draft: |WIP: )?Fix more links$/);
    });

    test('an update changes only the text, with any prefix in the title', async () => {
      const pr = await create();
      const changed = await forge.updatePr(pr.number, { title: 'Fix all links', body: 'Other' }, never);
      expect(changed).toEqual(pr);
      expect(stage.fake.pulls[0]).toMatchObject({ title: 'Fix all links', body: 'Other', draft: false });
      for (const title of ['Draft: a plan', 'WIP: [Draft] a plan']) {
        expect(await forge.updatePr(pr.number, { title, body: '' }, never)).toMatchObject({ draft: false });
        expect(stage.fake.pulls[0]?.draft).toBe(false);
      }
    });

    test('an update can turn a ready pull request into a draft', async () => {
      const pr = await create();
      const change = { title: wanted.title, body: wanted.body, draft: true };
      expect(await forge.updatePr(pr.number, change, never)).toEqual({ ...pr, draft: true });
      expect(await forge.updatePr(pr.number, change, never)).toEqual({ ...pr, draft: true });
      expect(stage.fake.pulls).toMatchObject([{ draft: true }]);
    });

    test.each(['closed', 'merged'] as const)(
      'a pull request that is %s is reported as such and does not block a new one',
      async (state) => {
        const pr = await create();
        for (const pull of stage.fake.pulls) pull.state = state;
        expect(await forge.prState(pr.number, never)).toMatchObject({ number: pr.number, state });
        expect(await forge.findPr(head, never)).toBeUndefined();
        expect(await create()).toMatchObject({ number: 2, state: 'open' });
      },
    );

    const details: PrDetails = {
      labels: Object.values(fakeLabels),
      reviewers: ['ada', 'mallory', 'grace'],
      teams: [fakeTeam],
      assignees: ['grace'],
    };

    test('labels, reviewers and assignees are added once and survive an update', async () => {
      const pr = await create();
      const has = (field: keyof PrDetails) => forgeFields[forge.kind].includes(field);
      for (let run = 1; run <= 2; run++) {
        expect(await forge.addDetails(pr.number, details, never)).toEqual([
          expect.stringMatching(/^Cannot add the reviewer mallory: \S/),
        ]);
        await forge.updatePr(pr.number, { title: `Run ${run}`, body: 'Text' }, never);
        expect(stage.fake.pulls).toMatchObject([
          {
            title: `Run ${run}`,
            labels: has('labels') ? details.labels : [],
            reviewers: ['ada', 'grace'],
            teams: has('teams') ? details.teams : [],
            assignees: has('assignees') ? details.assignees : [],
          },
        ]);
      }
    });

    test('details that the forge refuses become notes, and the pull request stays', async () => {
      const pr = await create();
      stage.fake.fail(...Array.from({ length: 20 }, () => ({ status: 403 })));
      const notes = await forge.addDetails(pr.number, { ...details, reviewers: ['ada'] }, never);
      expect(notes.length).toBeGreaterThan(0);
      for (const note of notes) expect(note).toMatch(/^Cannot add the .*denied access/);
      expect(stage.fake.pulls).toMatchObject([{ state: 'open', labels: [], reviewers: [], assignees: [] }]);
    });

    test('an unknown number is not found', async () => {
      expect(await failureOf(forge.prState(404, never))).toMatchObject({ problem: 'not_found' });
    });

    test('the default branch is returned', async () => {
      expect(await forge.defaultBranch(never)).toBe('main');
    });

    test('a rejection contains the message of the forge', async () => {
      const error = await failureOf(create({ base: 'missing-base' }));
      expect(['rejected', 'not_found']).toContain(error.problem);
      expect(error.message).toMatch(/missing-base|target_branch does not exist|base invalid/);
      expect(stage.fake.pulls).toHaveLength(0);
    });

    test('a short rate limit is waited for, and a long one is reported', async () => {
      stage.fake.fail({ status: 429, headers: { 'retry-after': '7' }, method: 'POST' });
      await create();
      expect(stage.pauses).toContain(7);
      stage.fake.fail({ status: 429, headers: { 'retry-after': '3000' } });
      const error = await failureOf(forge.prState(1, never));
      expect(error).toMatchObject({ problem: 'rate_limited', retryAfterSeconds: 3000 });
      expect(stage.pauses).not.toContain(3000);
    });

    test('the error for a wrong token does not contain the token', async () => {
      const secret = 'wrong-token-0123456789';
      const stranger = stage.open({ credential: { type: 'token', token: secret } });
      const error = await failureOf(stranger.defaultBranch(never));
      expect(error.problem).toBe('auth');
      expect(`${error.message} ${error.hint} ${error.stack}`).not.toContain(secret);
    });

    test('a secret in an error message of the server is hidden', async () => {
      const { token } = stage.fake;
      // Also when the message is truncated within the secret.
      for (const padding of ['', 'x'.repeat(285)]) {
        const message = `${padding} ${token}`;
        stage.fake.fail({ status: 400, body: { message, error: { message }, errors: [{ message }] } });
        const error = await failureOf(forge.prState(1, never));
        expect(error.message).toContain('***');
        expect(`${error.message} ${error.hint} ${error.stack}`).not.toContain(token.slice(0, 12));
      }
    });

    test.each(['<html>Sign in</html>', '{"number":1', '[]', 'null', '{"number":"1; rm"}'])(
      'the response %s is not accepted as a pull request',
      async (body) => {
        stage.fake.fail(...Array.from({ length: 5 }, () => ({ status: 200, body })));
        expect(await failureOf(forge.prState(1, never))).toMatchObject({ problem: 'unavailable' });
      },
    );

    test('a redirect is not followed', async () => {
      stage.fake.fail({ status: 301, headers: { location: 'https://example.com/' } });
      expect(await failureOf(forge.prState(1, never))).toMatchObject({ problem: 'rejected' });
      expect(stage.fake.requests).toHaveLength(1);
    });

    test('without a fork, branches are pushed to the repository', async () => {
      expect(await forge.openFork(never)).toBeNull();
    });

    test('a pull request from a named fork is created once and found by its fork', async () => {
      const { account } = stage.fake.forking;
      stage.fake.forking.forks.push({ path: `${account}/docs`, pendingChecks: 0 });
      const url = await stage.open({ fork: account }).openFork(never);
      expect(url).toMatch(new RegExp(`^${stage.fake.origin}/(?:scm/)?${account}/docs\\.git$`));
      const fromFork = stage.open({ fork: url });
      expect(await fromFork.findPr(head, never)).toBeUndefined();
      const own = await create();
      const made = await fromFork.createPr(wanted, never);
      expect(made).toMatchObject({ number: 2, head, base: 'main' });
      expect(await fromFork.createPr(wanted, never)).toEqual(made);
      expect(await fromFork.findPr(head, never)).toEqual(made);
      expect(await forge.findPr(head, never)).toEqual(own);
      expect(stage.fake.pulls).toMatchObject([
        { from: null, maintainersMayEdit: false },
        { from: `${account}/docs`, maintainersMayEdit: allowsEdits },
      ]);
      const text = { title: 'Fix more links', body: 'New text' };
      expect(await fromFork.updatePr(2, text, never)).toMatchObject({ number: 2 });
      expect(stage.fake.pulls[1]).toMatchObject(text);
    });

    test('a fork that does not exist is reported', async () => {
      const error = await failureOf(stage.open({ fork: 'stranger' }).openFork(never));
      expect(error).toMatchObject({ problem: 'not_found' });
      expect(error.message).toContain('stranger/docs');
    });

    test('a fork on another host is refused', () => {
      const opening = () => stage.open({ fork: 'https://example.com/scm/ada/docs.git' });
      expect(opening).toThrow('is on another host than the repository');
    });

    test.runIf(createsForks)('an automatic fork is created once, and its copy is awaited', async () => {
      stage.fake.forking.pendingChecks = 2;
      const url = await stage.open({ fork: 'auto' }).openFork(never);
      expect(url).toBe(`${stage.fake.origin}/${stage.fake.forking.account}/docs.git`);
      expect(stage.pauses).toEqual([2, 2]);
      expect(await stage.open({ fork: 'auto' }).openFork(never)).toBe(url);
      expect(stage.fake.forking.forks).toHaveLength(1);
      expect(await stage.open({ fork: url }).createPr(wanted, never)).toMatchObject({ number: 1 });
    });

    test.runIf(createsForks)('a fork that is never ready is reported after a minute', async () => {
      stage.fake.forking.pendingChecks = 1000;
      const error = await failureOf(stage.open({ fork: 'auto' }).openFork(never));
      expect(error).toMatchObject({ problem: 'unavailable' });
      expect(error.message).toContain('was not ready after 60 seconds');
      expect(stage.pauses.reduce((sum, seconds) => sum + seconds, 0)).toBe(60);
    });

    test('the signal aborts a request', async () => {
      stage.fake.fail({ isSilent: true });
      const stop = new AbortController();
      const asking = forge.prState(1, stop.signal);
      await expect.poll(() => stage.fake.requests.length).toBe(1);
      stop.abort(new Error('enough'));
      await expect(asking).rejects.toThrow('enough');
    });
  });
}

async function failureOf(work: Promise<unknown>): Promise<ForgeError> {
  return work.then(
    () => {
      throw new Error('Expected a failure.');
    },
    (error: ForgeError) => {
      expect(error.name).toBe('ForgeError');
      return error;
    },
  );
}
