import { useSyncExternalStore } from 'react';

const paceMs = 30_000;

export function Ago({ at }: { at: string }) {
  const differenceMs = Date.parse(at) - useNow(paceMs);
  // `now` lags behind by up to one tick, so recent events can appear to be in the future.
  const isJustNow = differenceMs > 0 && differenceMs <= paceMs;
  return (
    <time dateTime={at} title={exact(at)}>
      {relative(isJustNow ? 0 : differenceMs)}
    </time>
  );
}

/** The current time, updated at an interval. Components with the same interval share one timer. */
export function useNow(everyMs: number): number {
  const ticker = tickerOf(everyMs);
  return useSyncExternalStore(ticker.subscribe, ticker.now);
}

interface Ticker {
  subscribe: (listener: () => void) => () => void;
  now: () => number;
}

const tickers = new Map<number, Ticker>();

function tickerOf(everyMs: number): Ticker {
  const known = tickers.get(everyMs);
  if (known !== undefined) return known;
  const listeners = new Set<() => void>();
  let now = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  const tick = () => {
    now = Date.now();
    for (const listener of listeners) listener();
  };
  const ticker: Ticker = {
    subscribe(listener) {
      if (listeners.size === 0) {
        now = Date.now();
        timer = setInterval(tick, everyMs);
      }
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) clearInterval(timer);
      };
    },
    now: () => {
      if (listeners.size === 0 && Date.now() - now > everyMs) now = Date.now();
      return now;
    },
  };
  tickers.set(everyMs, ticker);
  return ticker;
}

// Creating a format is expensive.
const exactFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

export function exact(at: string): string {
  return exactFormat.format(new Date(at));
}

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

const relativeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export function relative(differenceMs: number): string {
  const seconds = Math.round(differenceMs / 1000);
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return relativeFormat.format(Math.trunc(seconds / size), unit);
  }
  return Math.abs(seconds) < 10 ? 'now' : relativeFormat.format(seconds, 'second');
}

export function span(milliseconds: number): string {
  if (milliseconds < 100) return `${Math.max(0, Math.round(milliseconds))} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  const [size, unit] =
    count < 1e6 ? [count / 1e3, 'kB'] : count < 1e9 ? [count / 1e6, 'MB'] : [count / 1e9, 'GB'];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
