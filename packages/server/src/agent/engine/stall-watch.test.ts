import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openSilenceWatch } from './stall-watch.ts';

describe('the silence of an agent', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function watched() {
    const onSilent = vi.fn();
    return { onSilent, watch: openSilenceWatch(10, onSilent) };
  }

  test('every message starts the time again', () => {
    const { onSilent, watch } = watched();
    vi.advanceTimersByTime(9000);
    watch.restart();
    vi.advanceTimersByTime(9000);
    expect(onSilent).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1000);
    expect(onSilent).toHaveBeenCalledOnce();
  });

  test('waiting for the model or a tool does not count', () => {
    const { onSilent, watch } = watched();
    watch.pause();
    watch.pause();
    vi.advanceTimersByTime(60_000);
    watch.resume();
    watch.restart();
    vi.advanceTimersByTime(60_000);
    expect(onSilent).not.toHaveBeenCalled();
    watch.resume();
    vi.advanceTimersByTime(10_000);
    expect(onSilent).toHaveBeenCalledOnce();
  });

  test('a closed watch is silent itself', () => {
    const { onSilent, watch } = watched();
    watch.pause();
    watch.close();
    watch.resume();
    vi.advanceTimersByTime(60_000);
    expect(onSilent).not.toHaveBeenCalled();
  });
});
