/**
 * Whose certificates git accepts. By itself it asks the machine's list, as other programs do; Node has a list of its own,
 * to which an operator adds with NODE_EXTRA_CA_CERTS. Both must accept the same hosts: a forge is spoken to by both.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';

/** Whoever sets the first two has decided for git; the others are the machine's, and Node counts them in. */
const forGit = ['GIT_SSL_CAINFO', 'GIT_SSL_CAPATH'];
const forAll = ['SSL_CERT_FILE', 'SSL_CERT_DIR'];

export function trustSettings(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const given = (names: string[]) =>
    Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
  const isDecided = Object.keys(given(forGit)).length > 0;
  if (isDecided || !environment['NODE_EXTRA_CA_CERTS']) return given([...forGit, ...forAll]);
  return { GIT_SSL_CAINFO: (joinedList ??= writeJoinedList()) };
}

let joinedList: string | undefined;

/** Git takes one file in place of its list, so everything that is accepted must stand in it. */
function writeJoinedList(): string {
  const folder = mkdtempSync(join(tmpdir(), 'docyard-certificates-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const certificates = new Set([...getCACertificates('default'), ...getCACertificates('system')]);
  const file = join(folder, 'accepted.pem');
  writeFileSync(file, `${[...certificates].map((text) => text.trim()).join('\n')}\n`, { mode: 0o600 });
  return file;
}
