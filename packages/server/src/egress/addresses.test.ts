import { describe, expect, test } from 'vitest';
import { addressesFor, isSpecial } from './addresses.ts';

describe('addressesFor', () => {
  const url = new URL('https://specs.example.com/openapi.json');
  const answering = (...addresses: string[]) => ({
    allowedHosts: [],
    lookup: () => Promise.resolve(addresses),
  });

  test('returns the addresses of a name when all are public', async () => {
    expect(await addressesFor(url, answering('8.8.8.8', '2606:4700::1111'))).toEqual([
      '8.8.8.8',
      '2606:4700::1111',
    ]);
  });

  test('refuses a name with one private address among public ones', async () => {
    await expect(addressesFor(url, answering('8.8.8.8', '127.0.0.1'))).rejects.toMatchObject({
      problem: 'refused',
      message: 'The host specs.example.com is at a private address.',
    });
  });

  test('allows a private address and plain http only for a listed host', async () => {
    const plain = new URL('http://specs.example.com:8080/');
    const policy = answering('10.0.0.7');
    await expect(addressesFor(plain, policy)).rejects.toMatchObject({
      message: 'Plain http is not allowed.',
    });
    for (const listed of ['specs.example.com', 'specs.example.com:8080']) {
      expect(await addressesFor(plain, { ...policy, allowedHosts: [listed] })).toEqual(['10.0.0.7']);
    }
  });

  test('refuses every other machine when offline, without resolving names', async () => {
    const asked: string[] = [];
    const lookup = (name: string): Promise<string[]> => {
      asked.push(name);
      return Promise.resolve(['127.0.0.1']);
    };
    for (const [address, listed] of [
      ['https://specs.example.com/', 'specs.example.com'],
      ['https://8.8.8.8/', '8.8.8.8'],
      ['http://10.0.0.7:3000/', '10.0.0.7:3000'],
      ['https://127.0.0.1.example.com/', '127.0.0.1.example.com'],
      ['https://127.0.0.1/', 'localhost'],
      ['https://[::ffff:10.0.0.1]/', '::ffff:a00:1'],
      ['https://0.0.0.0/', '0.0.0.0'],
    ] as const) {
      const policy = { allowedHosts: [listed], offline: true, lookup };
      await expect(addressesFor(new URL(address), policy), address).rejects.toMatchObject({
        problem: 'offline',
        message: expect.stringMatching(/^OFFLINE is on: /),
      });
    }
    expect(asked).toEqual([]);
  });

  test('allows this machine when offline if it is listed', async () => {
    for (const [address, listed, found] of [
      ['http://localhost:8080/', 'localhost:8080', ['127.0.0.1', '::1']],
      ['http://127.0.0.1:8080/', '127.0.0.1', ['127.0.0.1']],
      ['http://2130706433/', '127.0.0.1', ['127.0.0.1']],
      ['http://[::1]:8080/', '::1', ['::1']],
    ] as const)
      expect(await addressesFor(new URL(address), { allowedHosts: [listed], offline: true })).toEqual(found);
  });

  test.each(['file:///etc/passwd', 'ftp://example.com/', 'data:text/plain,x'])(
    'refuses %s',
    async (address) => {
      await expect(addressesFor(new URL(address), answering('8.8.8.8'))).rejects.toMatchObject({
        problem: 'refused',
      });
    },
  );
});

describe('isSpecial', () => {
  test.each([
    '0.0.0.0',
    '0.255.255.255',
    '10.0.0.0',
    '10.255.255.255',
    '100.64.0.0',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.255',
    '169.254.169.254',
    '172.16.0.0',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.0',
    '192.168.255.255',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
    '::ffff:0:808:808',
    '64:ff9b::808:808',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    'fc00::1',
    'fdff::1',
    'fe80::1',
    'febf::1',
    'fec0::1',
    'ff02::1',
  ])('%s is special', (address) => {
    expect(isSpecial(address)).toBe(true);
  });

  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '::ffff:8.8.8.8',
    '2606:4700::1111',
    '2a00:1450::1',
    '2001:4860:4860::8888',
  ])('%s is not special', (address) => {
    expect(isSpecial(address)).toBe(false);
  });
});
