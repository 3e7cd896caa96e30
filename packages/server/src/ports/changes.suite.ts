/**
 * What every adapter for changes must do: tell those who listen to a job, miss nothing that happens between the call
 * and the wait, and end when it is told.
 */
import { describe, expect, test } from 'vitest';
import type { JobChanges } from './changes.ts';

const never = new AbortController().signal;

export function describeChanges(name: string, make: () => JobChanges): void {
  describe(`changes in ${name}`, () => {
    test('only listeners of the job are told, each as often as something happened', () => {
      const changes = make();
      const heard: string[] = [];
      const stopFirst = changes.listen('a', () => heard.push('first'));
      const stopSecond = changes.listen('a', () => heard.push('second'));
      const stopOther = changes.listen('b', () => heard.push('other'));
      changes.notify('a');
      stopFirst();
      changes.notify('a');
      changes.notify('nobody');
      expect(heard).toEqual(['first', 'second', 'second']);
      stopSecond();
      stopOther();
    });

    test('a listener may stop listening while it is told', () => {
      const changes = make();
      let told = 0;
      const stop = changes.listen('a', () => {
        told += 1;
        stop();
      });
      changes.notify('a');
      changes.notify('a');
      expect(told).toBe(1);
    });

    test('ending an old listening twice does not end a new one', () => {
      const changes = make();
      const stop = changes.listen('a', () => {});
      stop();
      let told = 0;
      const stopNew = changes.listen('a', () => (told += 1));
      stop();
      changes.notify('a');
      expect(told).toBe(1);
      stopNew();
    });

    test('a change ends the wait; one of another job does not', async () => {
      const changes = make();
      const wait = changes.next('a', { seconds: 60, signal: never });
      changes.notify('b');
      const first = await Promise.race([wait.happened, pause(20)]);
      expect(first).toBe('paused');
      changes.notify('a');
      expect(await wait.happened).toBe('changed');
      wait.stop();
    });

    test('a change between the call and the await is not missed', async () => {
      const changes = make();
      const wait = changes.next('a', { seconds: 60, signal: never });
      changes.notify('a');
      await pause(5);
      expect(await wait.happened).toBe('changed');
      wait.stop();
    });

    test('the end of the time ends the wait', async () => {
      const wait = make().next('a', { seconds: 0.01, signal: never });
      expect(await wait.happened).toBe('quiet');
      wait.stop();
    });

    test('the signal ends the wait, also one that was aborted before', async () => {
      const controller = new AbortController();
      const changes = make();
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

const pause = (milliseconds: number) =>
  new Promise<'paused'>((resolve) => setTimeout(() => resolve('paused'), milliseconds));
