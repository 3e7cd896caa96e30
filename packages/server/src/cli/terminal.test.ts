/** Detection of terminal features, and removal of control characters from untrusted text. */
import { expect, test } from 'vitest';
import { canRedraw, columnsOf, hasColors, hasUnicode, printable } from './terminal.ts';

const terminal = { isTTY: true, columns: 120 };
const pipe = {};

test.each([
  [terminal, {}, true],
  [pipe, {}, false],
  [terminal, { NO_COLOR: '1' }, false],
  [terminal, { NO_COLOR: '' }, true],
  [pipe, { FORCE_COLOR: '1' }, true],
  [terminal, { FORCE_COLOR: '0' }, false],
  [terminal, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  [terminal, { TERM: 'dumb' }, false],
])('%j with %j has colors: %s', (stream, environment, expected) => {
  expect(hasColors(stream, environment)).toBe(expected);
});

test.each([
  [terminal, {}, true],
  [pipe, {}, false],
  [terminal, { CI: 'true' }, false],
  [terminal, { CI: 'false' }, true],
  [terminal, { TERM: 'dumb' }, false],
])('%j with %j can redraw a line: %s', (stream, environment, expected) => {
  expect(canRedraw(stream, environment)).toBe(expected);
});

test('Unicode support depends on the locale and the platform', () => {
  expect(hasUnicode({ LANG: 'en_GB.UTF-8' }, 'linux')).toBe(true);
  expect(hasUnicode({ LANG: 'en_GB.UTF-8', LC_ALL: 'C' }, 'linux')).toBe(false);
  expect(hasUnicode({}, 'linux')).toBe(false);
  expect(hasUnicode({}, 'win32')).toBe(true);
  expect([columnsOf(terminal), columnsOf(pipe)]).toEqual([120, 80]);
});

test('control characters are removed from untrusted text', () => {
  expect(printable('a\u001b[2Jb\r\nc\u009bd')).toBe('a [2Jb  c d');
});
