/** Certificates of an operator's own reach git: what was said to git, else what was said to Node. */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { getCACertificates } from 'node:tls';
import { expect, test } from 'vitest';
import { cleanUp } from '../../test/support/test-context.ts';
import { trustSettings } from './trust.ts';

test('nothing is said to git when nobody said anything', () => {
  expect(trustSettings({ PATH: '/usr/bin', NODE_EXTRA_CA_CERTS: '' })).toEqual({});
});

test('what was said to git is passed on as it is', () => {
  const said = { GIT_SSL_CAINFO: '/etc/ca.pem', SSL_CERT_DIR: '/etc/certificates' };
  expect(trustSettings({ ...said, NODE_EXTRA_CA_CERTS: '/etc/other.pem', HOME: '/root' })).toEqual(said);
});

test('what was said to Node is joined with what the machine accepts, in one file for all', () => {
  const { GIT_SSL_CAINFO: file = '' } = trustSettings({
    NODE_EXTRA_CA_CERTS: '/etc/other.pem',
    SSL_CERT_FILE: '/etc/machine.pem',
  });
  expect(trustSettings({ NODE_EXTRA_CA_CERTS: '/etc/other.pem' })).toEqual({ GIT_SSL_CAINFO: file });
  cleanUp(() => rmSync(dirname(file), { recursive: true }));
  const text = readFileSync(file, 'utf8');
  expect(text.match(/BEGIN CERTIFICATE/g)?.length).toBeGreaterThanOrEqual(
    getCACertificates('bundled').length,
  );
  expect(execFileSync('git', ['--version'], { env: { GIT_SSL_CAINFO: file } }).toString()).toContain('git');
});
