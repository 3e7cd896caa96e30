/** The progress display on a terminal, in a log, and when it is disabled. */
import { describe, expect, test } from 'vitest';
import { bytesText, durationText, Progress, type ProgressOptions, type Step } from './progress.ts';

interface Scene extends Partial<ProgressOptions> {
  isTTY?: boolean;
  columns?: number;
  variables?: Record<string, string>;
}

/** Reports each step at its time and returns everything that was written. */
function show(steps: (Step & { at: number })[], scene: Scene = {}): string[] {
  const { isTTY = true, columns = 100, variables = {}, ...options } = scene;
  const written: string[] = [];
  let seconds = 0;
  const progress = new Progress({
    unit: 'pages',
    ...options,
    stream: { isTTY, columns, write: (text: unknown) => written.push(String(text)) > 0 },
    environment: { LANG: 'en_GB.UTF-8', NO_COLOR: '1', ...variables },
    nowMs: () => seconds * 1000,
  });
  for (const { at, ...step } of steps) {
    seconds = at;
    progress.update(step);
  }
  progress.end();
  return written.map((text) => text.replaceAll(/\r|\u001b\[K/g, ''));
}

const half = { phase: 'rendering', share: 0.5, done: 50, total: 100 };

/** A constant rate with two reports per second. */
const steady = Array.from({ length: 11 }, (_, index) => ({
  phase: 'rendering',
  share: index / 20,
  done: index * 5,
  total: 100,
  at: index / 2,
}));

describe('on a terminal', () => {
  test('the bar shows the percentage, the pages, the rate and the remaining time', () => {
    const shown = show(steady);
    expect(shown[0]).toBe(`rendering  ${'─'.repeat(30)}  0 %  0 of 100 pages`);
    expect(shown.at(-2)).toBe(
      `rendering  ${'━'.repeat(15)}${'─'.repeat(15)}  50 %  50 of 100 pages  10 pages/s  5 s left`,
    );
    expect(shown.at(-1)).toBe('');
  });

  test('the rate and the remaining time are hidden until they can be estimated', () => {
    const early = show(steady.slice(0, 2)).join(' ');
    expect(early).not.toContain('pages/s');
    expect(early).not.toContain('left');
    expect(show([{ ...half, at: 0 }]).join(' ')).not.toContain('left');
  });

  test('a line is never wider than the terminal', () => {
    for (const columns of [200, 80, 60, 40, 20, 8]) {
      for (const line of show(steady, { columns })) expect(line.length).toBeLessThan(columns);
    }
    expect(show(steady, { columns: 40 }).at(-2)).toBe('rendering  ━━━──  50 %  50 of 100 pages');
  });

  test('the bar is drawn at most ten times per second', () => {
    const steps = Array.from({ length: 100 }, (_, index) => ({ ...half, done: index, at: index / 1000 }));
    expect(show(steps)).toHaveLength(2);
  });

  test('the bar uses only ASCII characters in an ASCII locale', () => {
    expect(show([{ ...half, at: 0 }], { variables: { LANG: 'C' } })[0]).toContain('#####');
    expect(show([{ ...half, at: 0 }], { variables: { LC_ALL: 'POSIX' } })[0]).toMatch(/^[ -~]+$/);
  });

  test('the bar has colors unless the environment disables them', () => {
    const colored = (variables: Record<string, string>) =>
      show([{ ...half, at: 0 }], { variables: { NO_COLOR: '', ...variables } })[0]?.includes('\u001b[36m');
    expect(colored({})).toBe(true);
    expect(colored({ NO_COLOR: '1' })).toBe(false);
    expect(colored({ FORCE_COLOR: '0' })).toBe(false);
  });
});

describe('in a log', () => {
  const expected = [
    'rendering, 0 %, 0 of 100 pages',
    'rendering, 50 %, 50 of 100 pages, 10 pages/s, 5 s left',
  ];
  const steps = [
    { phase: 'queued', share: 0, at: 0 },
    ...steady.map((step) => ({ ...step, at: step.at + 1 })),
  ];

  test.each([
    ['no terminal', { isTTY: false }],
    ['a pipeline with a terminal', { variables: { CI: 'true' } }],
    ['a terminal that cannot redraw a line', { variables: { TERM: 'dumb' } }],
  ])('%s gets a line for each new phase and one every five seconds', (_name, scene) => {
    const lines = show(steps, scene);
    expect(lines.map((line) => line.trimEnd())).toEqual(expected);
    expect(lines.every((line) => line.endsWith('\n'))).toBe(true);
  });

  test('work that ends quickly is not reported', () => {
    expect(show(steady.slice(0, 9), { isTTY: false })).toEqual([]);
  });

  test('--quiet and --json disable the display', () => {
    expect(show(steps, { quiet: true })).toEqual([]);
    expect(show(steps, { json: true, isTTY: false })).toEqual([]);
  });
});

test('bytes and durations have readable units', () => {
  const steps = [0, 1, 2].map((at) => ({
    phase: 'download',
    share: at / 4,
    done: at * 1e6,
    total: 4e6,
    at,
  }));
  expect(show(steps, { unit: 'bytes', columns: 60 }).at(-2)).toBe(
    'download   50 %  2.0 MB of 4.0 MB  1.0 MB/s  2 s left',
  );
  expect([0, 999, 1500, 2_345_678, 3e9].map(bytesText)).toEqual([
    '0 B',
    '999 B',
    '2 kB',
    '2.3 MB',
    '3.00 GB',
  ]);
  expect([0.2, 59, 61, 3725].map(durationText)).toEqual(['1 s', '59 s', '1 min 1 s', '1 h 2 min']);
});
