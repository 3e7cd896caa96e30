import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { getCACertificates } from 'node:tls';
import { expect, test } from 'vitest';
import { cleanUp } from '../../test/support/test-context.ts';
import { certificateSettings } from './certificates.ts';

test('git gets no settings by default', () => {
  expect(certificateSettings({ PATH: '/usr/bin', NODE_EXTRA_CA_CERTS: '' })).toEqual({});
});

test('settings of git are passed on unchanged', () => {
  const said = { GIT_SSL_CAINFO: '/etc/ca.pem', SSL_CERT_DIR: '/etc/certificates' };
  expect(certificateSettings({ ...said, NODE_EXTRA_CA_CERTS: '/etc/other.pem', HOME: '/root' })).toEqual(
    said,
  );
});

test('NODE_EXTRA_CA_CERTS is combined with the accepted certificates in one file', () => {
  const { GIT_SSL_CAINFO: file = '' } = certificateSettings({
    NODE_EXTRA_CA_CERTS: '/etc/other.pem',
    SSL_CERT_FILE: '/etc/machine.pem',
  });
  expect(certificateSettings({ NODE_EXTRA_CA_CERTS: '/etc/other.pem' })).toEqual({ GIT_SSL_CAINFO: file });
  cleanUp(() => rmSync(dirname(file), { recursive: true }));
  const text = readFileSync(file, 'utf8');
  expect(text.match(/BEGIN CERTIFICATE/g)?.length).toBeGreaterThanOrEqual(
    getCACertificates('bundled').length,
  );
  expect(execFileSync('git', ['--version'], { env: { GIT_SSL_CAINFO: file } }).toString()).toContain('git');
});
