/** What every forge with pull requests must do, whatever its API is like. Each adapter runs it against its fake. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Forge, ForgeError, ForgeSettings, NewPr } from '../../src/ports/forge.ts';

/** The other side, as far as the suite must set it up and look at it. */
export interface ForgeStage {
  /** With the right credential, unless the settings say otherwise. */
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
    }[];
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
  /** How long the adapter wanted to wait, each time; nobody does. */
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

export function describeForge(name: string, start: () => Promise<ForgeStage>): void {
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

    test('one is created as it was asked for', async () => {
      const pr = await create();
      expect(pr).toMatchObject({ number: 1, state: 'open', draft: false, head, base: 'main' });
      expect(new URL(pr.url).pathname).toMatch(/\/1$/);
      const [made] = stage.fake.pulls;
      expect(made).toMatchObject({ title: wanted.title, body: wanted.body, draft: false });
    });

    test('a text that is too long for the forge is cut and not refused', async () => {
      const pr = await create({ body: 'A line of text\n'.repeat(4000) });
      await forge.updatePr(pr.number, { title: 'T', body: 'Another line\n'.repeat(4600) }, never);
      const [made] = stage.fake.pulls;
      expect(made?.body.startsWith('Another line\nAnother line\n')).toBe(true);
      expect(made?.body.length).toBeGreaterThan(30_000);
    });

    test('it is found again by its branch, and only by that', async () => {
      expect(await forge.findPr(head, never)).toBeUndefined();
      const pr = await create();
      expect(await forge.findPr(head, never)).toEqual(pr);
      expect(await forge.findPr('docs-agent/other', never)).toBeUndefined();
    });

    test('a branch of the same name in a fork is somebody else’s', async () => {
      await create();
      for (const pull of stage.fake.pulls) pull.isFork = true;
      expect(await forge.findPr(head, never)).toBeUndefined();
    });

    test('to create it again gives the same one', async () => {
      const first = await create();
      expect(await create({ title: 'Another title' })).toEqual(first);
      expect(stage.fake.pulls).toHaveLength(1);
    });

    test('an answer that was lost does not make a second one', async () => {
      stage.fake.fail({ status: 502, method: 'POST', afterwards: true });
      expect(await create()).toMatchObject({ number: 1, state: 'open' });
      expect(stage.fake.pulls).toHaveLength(1);
    });

    test('a passing fault is passed over', async () => {
      stage.fake.fail({ status: 503, method: 'POST' }, { status: 500, method: 'GET' });
      const pr = await create();
      stage.fake.fail({ status: 500 });
      expect(await forge.prState(pr.number, never)).toEqual(pr);
      expect(stage.fake.pulls).toHaveLength(1);
    });

    test('a lasting fault is told after a few tries', async () => {
      stage.fake.fail(...Array.from({ length: 20 }, () => ({ status: 500 })));
      expect(await failureOf(create())).toMatchObject({ problem: 'unavailable' });
      expect(stage.fake.requests.length).toBeLessThanOrEqual(10);
    });

    test('a draft is one, and stays one when its text changes', async () => {
      const pr = await create({ draft: true });
      expect(pr.draft).toBe(true);
      expect(await forge.findPr(head, never)).toEqual(pr);
      const text = { title: 'Fix more links', body: 'New text' };
      expect(await forge.updatePr(pr.number, text, never)).toEqual(pr);
      expect(stage.fake.pulls[0]).toMatchObject({ body: 'New text', draft: true });
      expect(stage.fake.pulls[0]?.title).toMatch(/^(Draft: |WIP: )?Fix more links$/);
    });

    test('the text changes and nothing else does, whatever the title begins with', async () => {
      const pr = await create();
      const changed = await forge.updatePr(pr.number, { title: 'Fix all links', body: 'Other' }, never);
      expect(changed).toEqual(pr);
      expect(stage.fake.pulls[0]).toMatchObject({ title: 'Fix all links', body: 'Other', draft: false });
      for (const title of ['Draft: a plan', 'WIP: [Draft] a plan']) {
        expect(await forge.updatePr(pr.number, { title, body: '' }, never)).toMatchObject({ draft: false });
        expect(stage.fake.pulls[0]?.draft).toBe(false);
      }
    });

    test('one that was ready becomes a draft when it must', async () => {
      const pr = await create();
      const change = { title: wanted.title, body: wanted.body, draft: true };
      expect(await forge.updatePr(pr.number, change, never)).toEqual({ ...pr, draft: true });
      expect(await forge.updatePr(pr.number, change, never)).toEqual({ ...pr, draft: true });
      expect(stage.fake.pulls).toMatchObject([{ draft: true }]);
    });

    test.each(['closed', 'merged'] as const)(
      'one that is %s is told so, and is in nobody’s way',
      async (state) => {
        const pr = await create();
        for (const pull of stage.fake.pulls) pull.state = state;
        expect(await forge.prState(pr.number, never)).toMatchObject({ number: pr.number, state });
        expect(await forge.findPr(head, never)).toBeUndefined();
        expect(await create()).toMatchObject({ number: 2, state: 'open' });
      },
    );

    test('a number that is not there is not found', async () => {
      expect(await failureOf(forge.prState(404, never))).toMatchObject({ problem: 'not_found' });
    });

    test('the default branch is known', async () => {
      expect(await forge.defaultBranch(never)).toBe('main');
    });

    test('a refusal carries the forge’s words', async () => {
      const error = await failureOf(create({ base: 'missing-base' }));
      expect(['rejected', 'not_found']).toContain(error.problem);
      expect(error.message).toMatch(/missing-base|target_branch does not exist|base invalid/);
      expect(stage.fake.pulls).toHaveLength(0);
    });

    test('a short limit is waited for, a long one is told', async () => {
      stage.fake.fail({ status: 429, headers: { 'retry-after': '7' }, method: 'POST' });
      await create();
      expect(stage.pauses).toContain(7);
      stage.fake.fail({ status: 429, headers: { 'retry-after': '3000' } });
      const error = await failureOf(forge.prState(1, never));
      expect(error).toMatchObject({ problem: 'rate_limited', retryAfterSeconds: 3000 });
      expect(stage.pauses).not.toContain(3000);
    });

    test('a wrong token is told without showing it', async () => {
      const secret = 'wrong-token-0123456789';
      const stranger = stage.open({ credential: { type: 'token', token: secret } });
      const error = await failureOf(stranger.defaultBranch(never));
      expect(error.problem).toBe('auth');
      expect(`${error.message} ${error.hint} ${error.stack}`).not.toContain(secret);
    });

    test('a server that repeats what it was sent gives no secret away', async () => {
      const { token } = stage.fake;
      // Also where the sentence is cut in the middle of it.
      for (const padding of ['', 'x'.repeat(285)]) {
        const message = `${padding} ${token}`;
        stage.fake.fail({ status: 400, body: { message, error: { message }, errors: [{ message }] } });
        const error = await failureOf(forge.prState(1, never));
        expect(error.message).toContain('***');
        expect(`${error.message} ${error.hint} ${error.stack}`).not.toContain(token.slice(0, 12));
      }
    });

    test.each(['<html>Sign in</html>', '{"number":1', '[]', 'null', '{"number":"1; rm"}'])(
      'an answer of %s is not taken for a pull request',
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

    test('everything ends with the signal', async () => {
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
