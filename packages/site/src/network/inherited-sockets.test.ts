import { expect, test } from 'vitest';
import { inheritedSockets } from './inherited-sockets.ts';

const given = { LISTEN_PID: '7', LISTEN_FDS: '1' };

test('sockets are numbered from 3 and distinguished by name', () => {
  expect(inheritedSockets(given, 7)).toEqual({ site: [3], status: undefined, redirect: undefined });
  const named = { ...given, LISTEN_FDS: '4', LISTEN_FDNAMES: 'redirect:docyard-site.socket:status:http' };
  expect(inheritedSockets(named, 7)).toEqual({ site: [4, 6], status: 5, redirect: 3 });
});

test.each([
  {},
  { LISTEN_FDS: '1' },
  { LISTEN_PID: '7' },
  { ...given, LISTEN_PID: '8' },
  { ...given, LISTEN_FDS: '0' },
  { ...given, LISTEN_FDS: 'many' },
  { ...given, LISTEN_FDS: '100000' },
])('%j is ignored', (environment) => {
  expect(inheritedSockets(environment, 7)).toBeUndefined();
});
