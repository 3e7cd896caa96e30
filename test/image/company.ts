/** A company network for the build: an npm mirror with a certificate of a private authority. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '../temporary-resources.ts';

export interface Company {
  mirror: string;
  /** Of the authority, as PEM text. */
  certificate: string;
  /** Tarballs that were downloaded. */
  downloads: string[];
  close(): void;
}

export async function startCompany(): Promise<Company> {
  const folder = temporaryFolder('company');
  makeCertificates(folder);
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const downloads: string[] = [];
  const server = createServer({ key: read('host.key'), cert: read('host.pem') }, (request, response) => {
    const path = request.url ?? '/';
    if (path.endsWith('.tgz')) downloads.push(path);
    void forward(new URL(path, registry), request.headers.accept, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    mirror: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    certificate: read('ca.pem'),
    downloads,
    close: () => server.close().closeAllConnections(),
  };
}

async function forward(address: URL, accept: string | undefined, response: ServerResponse): Promise<void> {
  try {
    const answer = await fetch(address, accept === undefined ? {} : { headers: { accept } });
    const type = answer.headers.get('content-type') ?? 'application/octet-stream';
    response.writeHead(answer.status, { 'content-type': type });
    response.end(Buffer.from(await answer.arrayBuffer()));
  } catch {
    // npm retries a broken connection.
    response.destroy();
  }
}

function makeCertificates(folder: string): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const fresh = ['req', '-newkey', 'rsa:2048', '-nodes', '-batch'];
  openssl(...fresh, '-x509', '-days', '2', '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Company CA');
  openssl(...fresh, '-keyout', 'host.key', '-out', 'host.csr', '-subj', '/CN=127.0.0.1');
  writeFileSync(join(folder, 'host.ext'), 'subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n');
  const signer = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'host.ext'];
  openssl('x509', '-req', '-in', 'host.csr', '-days', '2', ...signer, '-out', 'host.pem');
}
