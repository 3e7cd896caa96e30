/** The contract of every adapter for change announcements. */
import { describe, expect, test } from 'vitest';
import type { JobChanges } from '../../src/ports/changes.ts';

const never = new AbortController().signal;

/** `change` announces a change, from this process or from another. */
export type MakeChanges = () => Promise<{
  changes: JobChanges;
  change: (jobId: string) => Promise<void> | void;
}>;

export function describeChanges(name: string, make: MakeChanges): void {
  describe(`changes in ${name}`, () => {
    test('only listeners of the job are notified', async () => {
      const { changes, change } = await make();
      const heard: string[] = [];
      const stopFirst = changes.listen('a', () => heard.push('first'));
      const stopSecond = changes.listen('a', () => heard.push('second'));
      const stopOther = changes.listen('b', () => heard.push('other'));
      await change('a');
      await expect.poll(() => heard).toEqual(['first', 'second']);
      stopFirst();
      await change('a');
      await change('unheard');
      await change('b');
      await expect.poll(() => heard).toEqual(['first', 'second', 'second', 'other']);
      stopSecond();
      stopOther();
    });

    test('listeners in the same process are notified before the call returns', async () => {
      const { changes } = await make();
      let calls = 0;
      const stop = changes.listen('a', () => (calls += 1));
      changes.notify('a');
      expect(calls).toBe(1);
      stop();
      changes.notify('a');
      expect(calls).toBe(1);
    });

    test('a listener may stop listening while it is notified', async () => {
      const { changes } = await make();
      let calls = 0;
      const stop = changes.listen('a', () => {
        calls += 1;
        stop();
      });
      changes.notify('a');
      changes.notify('a');
      expect(calls).toBe(1);
    });

    test('removing an old listener twice does not remove a new one', async () => {
      const { changes } = await make();
      const stop = changes.listen('a', () => {});
      stop();
      let calls = 0;
      const stopNew = changes.listen('a', () => (calls += 1));
      stop();
      changes.notify('a');
      expect(calls).toBe(1);
      stopNew();
    });

    test('a change of the job ends the wait, and a change of another job does not', async () => {
      const { changes, change } = await make();
      const wait = changes.next('a', { seconds: 60, signal: never });
      let ended = false;
      void wait.happened.then(() => (ended = true));
      const other = changes.next('b', { seconds: 60, signal: never });
      await change('b');
      expect(await other.happened).toBe('changed');
      expect(ended).toBe(false);
      await change('a');
      expect(await wait.happened).toBe('changed');
      wait.stop();
      other.stop();
    });

    test('a change between the call and the await is not missed', async () => {
      const { changes } = await make();
      const wait = changes.next('a', { seconds: 60, signal: never });
      changes.notify('a');
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(await wait.happened).toBe('changed');
      wait.stop();
    });

    test('the timeout ends the wait', async () => {
      const { changes } = await make();
      const wait = changes.next('a', { seconds: 0.01, signal: never });
      expect(await wait.happened).toBe('quiet');
      wait.stop();
    });

    test('the signal ends the wait, also when it was aborted before', async () => {
      const controller = new AbortController();
      const { changes } = await make();
      const wait = changes.next('a', { seconds: 60, signal: controller.signal });
      controller.abort();
      expect(await wait.happened).toBe('over');
      wait.stop();
      const second = changes.next('a', { seconds: 60, signal: controller.signal });
      expect(await second.happened).toBe('over');
      second.stop();
    });
  });
}
