/** Certificates for tests, made with openssl. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CertificateFiles } from '../../src/serving/certificates.ts';

/** Why no certificates can be made here, or undefined. */
export const opensslMissing =
  spawnSync('openssl', ['version']).error === undefined
    ? undefined
    : 'TLS is not tested: openssl is not installed';
if (opensslMissing !== undefined) console.warn(`Skipped: ${opensslMissing}.`);

export function makeCertificate(folder: string, host: string): CertificateFiles {
  mkdirSync(folder, { recursive: true });
  const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const names = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  const { status, stderr } = spawnSync(
    'openssl',
    [...args, ...names, '-days', '2', '-out', certFile, '-keyout', keyFile],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr);
  return { certFile, keyFile };
}

export function textsOf({ certFile, keyFile }: CertificateFiles): { cert: string; key: string } {
  return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
}
