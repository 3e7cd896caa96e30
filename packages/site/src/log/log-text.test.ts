import { expect, test } from 'vitest';
import { openLog } from './log.ts';
import { readableLine, textDestination } from './log-text.ts';

const time = new Date(2026, 10, 18, 4, 5, 6).getTime();

test('a line has the time, the level, the message and its fields', () => {
  const line = JSON.stringify({ level: 40, time, msg: 'the queue is full', jobs: 3, of: 'org one' });
  expect(readableLine(line, false)).toBe('04:05:06 warn  the queue is full jobs=3 of="org one"\n');
});

test('an error shows its message, and from level error on its stack', () => {
  const err = { message: 'no route', stack: 'Error: no route\n    at run (a.ts:1:2)' };
  expect(readableLine(JSON.stringify({ level: 40, time, msg: 'retrying', err }), false)).toBe(
    '04:05:06 warn  retrying: no route\n',
  );
  expect(readableLine(JSON.stringify({ level: 50, time, msg: 'failed', err }), false)).toBe(
    '04:05:06 error failed: no route\n    at run (a.ts:1:2)\n',
  );
});

test('untrusted text cannot move the cursor of the terminal', () => {
  const line = JSON.stringify({ level: 30, time, msg: 'a\u001b[2Jb', path: '\u001b[31m\n' });
  expect(readableLine(line, false)).toMatch(/^04:05:06 info {2}a \[2Jb path=.*\n$/);
  expect(readableLine(line, false)).not.toContain('\u001b');
});

test('a secret is redacted in readable lines', () => {
  const lines: string[] = [];
  const log = openLog(
    { level: 'info', format: 'text', secrets: ['s3cret-of-this-process'] },
    textDestination((line) => void lines.push(line), false),
  );
  log.info({ header: 'Bearer abcdefgh12345' }, 'key s3cret-of-this-process');
  expect(lines.join('')).toMatch(/info {2}key \[hidden\] header="?\[hidden\]"?\n$/);
});
