import { expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { readEgress } from './environment.ts';

test.each(['on', 'off', 'true', 'FALSE', '1', '0', 'yes', 'no', 'y', 'n', 'enabled', 'Disabled'])(
  'OFFLINE=%s means the same to a command and to the service',
  (OFFLINE) => {
    const environment = { OFFLINE, EGRESS_ALLOW: 'One.example.com, two.example.com:81,' };
    expect(readEgress(environment)).toEqual(readConfig(environment).egress);
  },
);

test('a missing value allows everything, and an invalid one allows nothing', () => {
  expect(readEgress({})).toEqual({ rules: [], offline: false });
  expect(readEgress({ EGRESS_ALLOW: 'modle:gpu.internal' }).rules).toEqual([]);
  expect(readEgress({ OFFLINE: '' }).offline).toBe(false);
  expect(readEgress({ OFFLINE: 'perhaps' }).offline).toBe(true);
});
