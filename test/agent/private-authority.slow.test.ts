/** Hosts with certificates of a private authority are reachable only with NODE_EXTRA_CA_CERTS. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder, type Service } from '../service.ts';
import { mendLink, runJob, setStage, type Stage } from './harness.ts';

const canSign = spawnSync('openssl', ['version']).status === 0;
if (!canSign) console.log('Skipped: there is no openssl on this machine.');

const folder = temporaryFolder('authority');
const authority = join(folder, 'ca.pem');
const servers: Server[] = [];
let stage: Stage;
let hosts: { git: string; forge: string; model: string };

beforeAll(async () => {
  if (!canSign) return;
  stage = await setStage({ script: mendLink });
  makeCertificates();
  hosts = {
    git: await encrypted(stage.git.origin),
    forge: await encrypted(stage.forge.origin),
    model: await encrypted(stage.model.url),
  };
});

afterAll(async () => {
  if (canSign) await stage.close();
  for (const server of servers) server.close();
});

function makeCertificates(): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const fresh = ['req', '-newkey', 'rsa:2048', '-nodes', '-batch'];
  openssl(...fresh, '-x509', '-days', '2', '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Harbour CA');
  openssl(...fresh, '-keyout', 'host.key', '-out', 'host.csr', '-subj', '/CN=127.0.0.1');
  writeFileSync(join(folder, 'host.ext'), 'subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n');
  const signer = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'host.ext'];
  openssl('x509', '-req', '-in', 'host.csr', '-days', '2', ...signer, '-out', 'host.pem');
}

/** Returns the address of a TLS proxy for the host. */
async function encrypted(url: string): Promise<string> {
  const { port, pathname } = new URL(url);
  const key = readFileSync(join(folder, 'host.key'));
  const server = createServer({ key, cert: readFileSync(join(folder, 'host.pem')) }, (socket) => {
    const plain = connect(Number(port), '127.0.0.1');
    socket.on('error', () => plain.destroy());
    plain.on('error', () => socket.destroy());
    socket.pipe(plain).pipe(socket);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}${pathname === '/' ? '' : pathname}`;
}

async function createProject({ client }: Service): Promise<string> {
  const { pathname } = new URL(stage.repository.url);
  const { pathname: api } = new URL(stage.forge.apiBase);
  const { id } = await client.call('createProject', {
    body: {
      name: 'Docs',
      domain: `docs-${Date.now()}.example.com`,
      source: { repository: `${hosts.git}${pathname}`, ref: 'main' },
    },
  });
  const credential = { type: 'token', token: stage.forge.token } as const;
  const forge = { kind: 'github', apiBase: `${hosts.forge}${api === '/' ? '' : api}`, credential } as const;
  await client.call('updateProject', { params: { projectId: id }, body: { agent: { forge } } });
  return id;
}

async function runWith(environment: Record<string, string>) {
  const allowed = Object.values(hosts).map((url) => new URL(url).host);
  const service = await stage.start({
    environment: {
      EGRESS_ALLOW: allowed.join(','),
      MODEL_URL: hosts.model,
      // The git configuration of this machine would take precedence.
      GIT_SSL_CAINFO: '',
      NODE_EXTRA_CA_CERTS: '',
      ...environment,
    },
  });
  try {
    return await runJob(service, await createProject(service), 'Mend the link of the first page.');
  } finally {
    await service.stop();
  }
}

test.runIf(canSign)('an unconfigured authority is not accepted', async () => {
  const job = await runWith({});
  expect(job).toMatchObject({ status: 'failed', statusReason: 'clone_failed' });
  expect(job.error).toMatch(/certificate/i);
});

test.runIf(canSign)('with NODE_EXTRA_CA_CERTS the job goes all the way to its pull request', async () => {
  const job = await runWith({ NODE_EXTRA_CA_CERTS: authority });
  expect(job).toMatchObject({ status: 'completed', statusReason: 'done', pullRequest: { state: 'open' } });
  expect(stage.git.requests.some(({ path }) => path.endsWith('/git-receive-pack'))).toBe(true);
});
