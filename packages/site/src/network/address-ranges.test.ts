/** The address list of a key: valid entries, and the callers they allow. */
import { describe, expect, test } from 'vitest';
import { plainAddress } from './internal-addresses.ts';
import { addressAllowed, complainAboutRange, subscriberOf } from './address-ranges.ts';

describe('an entry of the list', () => {
  test.each([
    '203.0.113.7',
    '203.0.113.0/24',
    '10.0.0.0/8',
    '1.2.3.4/32',
    '2001:db8::1',
    '2001:db8::/32',
    '::1/128',
  ])('%s is accepted', (entry) => {
    expect(complainAboutRange(entry)).toBeUndefined();
  });

  test.each([
    ['', 'is neither an IP address nor a CIDR range'],
    ['example.com', 'is neither an IP address nor a CIDR range'],
    ['203.0.113', 'is neither an IP address nor a CIDR range'],
    ['203.0.113.256', 'is neither an IP address nor a CIDR range'],
    ['0xcb.0.113.7', 'is neither an IP address nor a CIDR range'],
    ['203.0.113.0/24/8', 'is neither an IP address nor a CIDR range'],
    ['203.0.113.0/33', 'must end in /1 to /32'],
    ['203.0.113.0/-1', 'must end in /1 to /32'],
    ['203.0.113.0/', 'must end in /1 to /32'],
    ['203.0.113.0/2x', 'must end in /1 to /32'],
    ['2001:db8::/129', 'must end in /1 to /128'],
    ['0.0.0.0/0', 'covers every address'],
    ['::/0', 'covers every address'],
  ])('%s is refused: %s', (entry, reason) => {
    expect(complainAboutRange(entry)).toContain(reason);
  });
});

describe('a caller', () => {
  test.each([
    [[], '198.51.100.1', true],
    [['203.0.113.7'], '203.0.113.7', true],
    [['203.0.113.7'], '203.0.113.8', false],
    [['203.0.113.0/24'], '203.0.113.255', true],
    [['203.0.113.0/24'], '203.0.114.0', false],
    [['203.0.113.9/24'], '203.0.113.200', true],
    [['10.0.0.0/8', '2001:db8::/32'], '2001:db8:ffff::1', true],
    [['10.0.0.0/8', '2001:db8::/32'], '2001:db9::1', false],
    [['2001:db8::1'], '2001:0db8:0:0:0:0:0:1', true],
    [['203.0.113.0/24'], '::ffff:203.0.113.7', true],
    [['203.0.113.0/24'], '::ffff:203.0.112.7', false],
    [['::ffff:203.0.113.7'], '203.0.113.7', true],
    [['203.0.113.0/24'], '', false],
    [['203.0.113.0/24'], 'unknown', false],
  ] as [string[], string, boolean][])(
    'is checked with list %j and address %s: %s',
    (list, address, allowed) => {
      expect(addressAllowed(list, address)).toBe(allowed);
    },
  );
});

test('only an IPv4-mapped IPv6 address in dotted form is converted', () => {
  expect(plainAddress('::ffff:203.0.113.7')).toBe('203.0.113.7');
  expect(plainAddress('203.0.113.7')).toBe('203.0.113.7');
  expect(plainAddress('::ffff:cb00:7107')).toBe('::ffff:cb00:7107');
  expect(plainAddress('::1')).toBe('::1');
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
])('%j belongs to the subscriber of %j', (address, subscriber) => {
  expect(subscriberOf(address)).toBe(subscriber);
});
