/**
 * Gives git the certificates that Node accepts, because both connect to the same forges. Git uses the system's
 * list; Node adds NODE_EXTRA_CA_CERTS.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';

/** `forGit` overrides everything; Node also reads `forAll`. */
const forGit = ['GIT_SSL_CAINFO', 'GIT_SSL_CAPATH'];
const forAll = ['SSL_CERT_FILE', 'SSL_CERT_DIR'];

export function certificateSettings(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const pick = (names: string[]) =>
    Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
  const isOverridden = Object.keys(pick(forGit)).length > 0;
  if (isOverridden || !environment['NODE_EXTRA_CA_CERTS']) return pick([...forGit, ...forAll]);
  return { GIT_SSL_CAINFO: (certificateFile ??= writeCertificateFile()) };
}

let certificateFile: string | undefined;

/** GIT_SSL_CAINFO replaces git's list, so the file contains every accepted certificate. */
function writeCertificateFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'docyard-certificates-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const certificates = new Set([...getCACertificates('default'), ...getCACertificates('system')]);
  const file = join(folder, 'accepted.pem');
  writeFileSync(file, `${[...certificates].map((text) => text.trim()).join('\n')}\n`, { mode: 0o600 });
  return file;
}
