/**
 * Starts Ceph's S3 gateway with one monitor and one in-memory store on free loopback ports. Unlike imitations, it verifies
 * signatures and their expiry.
 */
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { endWithTest, temporaryFolder } from './temporary-resources.ts';

const run = promisify(execFile);
const readySeconds = 90;

export interface RgwServer {
  endpoint: string;
  /** The same over TLS, with a certificate of `caFile`. */
  secureEndpoint: string;
  caFile: string;
  credentials: { AWS_ACCESS_KEY_ID: string; AWS_SECRET_ACCESS_KEY: string };
  /** Creates a bucket, with a random name by default, and returns its address for BLOBS_URL. */
  createBucket(name?: string): Promise<string>;
  /** Names of all objects in a bucket, and of parts of unfinished uploads. */
  listObjects(bucketUrl: string): Promise<string[]>;
  /** Kills the gateway. Stored objects stay. */
  stop(): Promise<void>;
  /** After `stop`, on the same ports. */
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** Why no server can be started here, or undefined. */
export const rgwMissing = findObstacle();
if (rgwMissing !== undefined) console.warn(`Skipped: ${rgwMissing}.`);

export async function startRgw(): Promise<RgwServer> {
  if (rgwMissing !== undefined) throw new Error(rgwMissing);
  const folder = temporaryFolder('rgw');
  const plainPort = await freePort();
  const securePort = await freePort();
  const daemons = new Daemons(folder);
  const remove = async () => {
    await daemons.stopAll();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await startStore(folder, daemons, await freePort());
    const credentials = await createUser(folder);
    makeCertificate(folder);
    const endpoint = `http://127.0.0.1:${plainPort}`;
    const ssl = `ssl_endpoint=127.0.0.1:${securePort} ssl_certificate=${folder}/server.pem`;
    const start = async () => {
      const frontend = `beast endpoint=127.0.0.1:${plainPort} ${ssl}`;
      daemons.start('gateway', 'radosgw', ['-n', 'client.admin', `--rgw_frontends=${frontend}`]);
      await until('the gateway answers', async () => (await fetch(endpoint)).status < 500);
    };
    await start();
    return {
      endpoint,
      secureEndpoint: `https://127.0.0.1:${securePort}`,
      caFile: join(folder, 'ca.crt'),
      credentials,
      async createBucket(name = `docyard-${randomBytes(4).toString('hex')}`) {
        await putBucket(endpoint, name, credentials);
        return `s3://${name}/?endpoint=${encodeURIComponent(endpoint)}`;
      },
      listObjects: (bucketUrl) => listObjects(folder, new URL(bucketUrl).hostname),
      start,
      stop: () => daemons.stop('gateway'),
      remove,
    };
  } catch (error) {
    const output = daemons.complaints();
    await remove();
    throw new Error(`Ceph did not start.\n${output}`, { cause: error });
  }
}

function findObstacle(): string | undefined {
  if (process.getuid?.() !== 0) return 'Ceph is started by root only';
  const programs = ['ceph', 'ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin', 'openssl'];
  const missing = programs.filter((name) => spawnSync('which', [name]).status !== 0);
  return missing.length === 0 ? undefined : `${missing.join(', ')} not installed`;
}

/** A monitor and a store of minimal size. Without keys ("auth none") the gateway never connects. */
async function startStore(folder: string, daemons: Daemons, monitorPort: number): Promise<void> {
  const clusterId = randomUUID();
  for (const name of ['monitor', 'store', 'run']) mkdirSync(join(folder, name));
  writeFileSync(
    join(folder, 'ceph.conf'),
    `[global]
fsid = ${clusterId}
mon_host = [v2:127.0.0.1:${monitorPort}]
mon_initial_members = a
public_addr = 127.0.0.1
auth_cluster_required = cephx
auth_service_required = cephx
auth_client_required = cephx
keyring = ${folder}/keyring
run_dir = ${folder}/run
admin_socket =
pid_file =
log_file =
log_to_stderr = true
err_to_stderr = true
mon_cluster_log_file = /dev/null
mon_data = ${folder}/monitor
mon_data_avail_crit = 1
mon_allow_pool_size_one = true
mon_warn_on_pool_no_redundancy = false
mon_max_pg_per_osd = 1000
osd_data = ${folder}/store
osd_objectstore = memstore
memstore_device_bytes = 4294967296
osd_crush_chooseleaf_type = 0
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
rgw_rados_pool_pg_num_min = 1
rgw_rados_pool_autoscale_bias = 1
# With the cache, one that follows a killed one waits 25 s for its answers.
rgw_cache_enabled = false
rgw_data = ${folder}/run
`,
  );
  const ceph = commands(folder);
  const keyring = join(folder, 'keyring');
  const all = (...services: string[]) => services.flatMap((service) => ['--cap', service, 'allow *']);
  await run('ceph-authtool', [keyring, '-C', '--gen-key', '-n', 'mon.', ...all('mon')]);
  await run('ceph-authtool', [keyring, '--gen-key', '-n', 'client.admin', ...all('mon', 'osd', 'mgr')]);
  await run('ceph-authtool', [
    keyring,
    '--gen-key',
    '-n',
    'osd.0',
    '--cap',
    'mon',
    'allow profile osd',
    ...all('osd'),
  ]);
  const map = join(folder, 'monmap');
  const address = `[v2:127.0.0.1:${monitorPort}]`;
  await run('monmaptool', ['--create', '--fsid', clusterId, '--addv', 'a', address, map]);
  await ceph('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '--keyring', keyring);
  daemons.start('monitor', 'ceph-mon', ['-i', 'a']);
  const storeId = randomUUID();
  await ceph('ceph', 'osd', 'new', storeId, '0');
  await ceph('ceph-osd', '--mkfs', '-i', '0', '--osd-uuid', storeId);
  daemons.start('store', 'ceph-osd', ['-i', '0']);
  await until('the store is up', async () => {
    const { stdout } = await ceph('ceph', 'osd', 'stat', '-f', 'json');
    return /"num_up_osds":\s*1/.test(stdout);
  });
}

async function createUser(folder: string): Promise<RgwServer['credentials']> {
  const key = randomBytes(10).toString('hex').toUpperCase();
  const secret = randomBytes(20).toString('hex');
  const identity = ['--uid', 'docyard', '--display-name', 'Docyard', '--access-key', key, '--secret', secret];
  await commands(folder)('radosgw-admin', 'user', 'create', ...identity);
  return { AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: secret };
}

/** Reads the store directly, without the gateway. */
async function listObjects(folder: string, bucket: string): Promise<string[]> {
  const args = ['bucket', 'list', '--bucket', bucket, '--max-entries', '1000000'];
  const { stdout } = await commands(folder)('radosgw-admin', ...args);
  return (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name);
}

/** An authority and a certificate for the loopback. */
function makeCertificate(folder: string): void {
  const openssl = (...args: string[]) => {
    const ended = spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' });
    if (ended.status !== 0) throw new Error(`openssl ${args.join(' ')}: ${ended.stderr}`);
  };
  const fresh = ['req', '-newkey', 'rsa:2048', '-nodes'];
  openssl(
    ...fresh,
    '-x509',
    '-days',
    '2',
    '-subj',
    '/CN=Test authority',
    '-keyout',
    'ca.key',
    '-out',
    'ca.crt',
  );
  openssl(...fresh, '-subj', '/CN=127.0.0.1', '-keyout', 'server.key', '-out', 'server.csr');
  writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1\n');
  const by = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'server.csr', ...by, '-out', 'server.crt');
  const both = ['server.crt', 'server.key'].map((name) => readFileSync(join(folder, name), 'utf8'));
  writeFileSync(join(folder, 'server.pem'), both.join(''));
}

/** One signed request, without a library. */
async function putBucket(endpoint: string, name: string, user: RgwServer['credentials']): Promise<void> {
  const { host } = new URL(endpoint);
  const date = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `${date.slice(0, 8)}/us-east-1/s3/aws4_request`;
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const names = 'host;x-amz-content-sha256;x-amz-date';
  const canonical = `PUT\n/${name}\n\nhost:${host}\nx-amz-content-sha256:${sha256('')}\nx-amz-date:${date}\n\n${names}\n${sha256('')}`;
  const key = scope
    .split('/')
    .reduce<Buffer | string>(
      (secret, part) => createHmac('sha256', secret).update(part).digest(),
      `AWS4${user.AWS_SECRET_ACCESS_KEY}`,
    );
  const signature = createHmac('sha256', key)
    .update(`AWS4-HMAC-SHA256\n${date}\n${scope}\n${sha256(canonical)}`)
    .digest('hex');
  const answer = await fetch(`${endpoint}/${name}`, {
    method: 'PUT',
    headers: {
      'x-amz-content-sha256': sha256(''),
      'x-amz-date': date,
      authorization: `AWS4-HMAC-SHA256 Credential=${user.AWS_ACCESS_KEY_ID}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    },
  });
  if (!answer.ok) throw new Error(`The bucket was not made: ${answer.status} ${await answer.text()}`);
}

function commands(folder: string) {
  return (program: string, ...args: string[]) =>
    run(program, ['-c', join(folder, 'ceph.conf'), ...args], {
      timeout: readySeconds * 1000,
      maxBuffer: 100_000_000,
    });
}

/** The processes of one cluster, in the foreground with log files. */
class Daemons {
  readonly #folder: string;
  readonly #running = new Map<string, ChildProcess>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  start(name: string, program: string, args: string[]): void {
    const log = openSync(join(this.#folder, `${name}.log`), 'a');
    const child = spawn(program, ['-f', '-c', join(this.#folder, 'ceph.conf'), ...args], {
      stdio: ['ignore', log, log],
    });
    child.once('error', () => {});
    this.#running.set(name, child);
    endWithTest(child);
  }

  async stop(name: string): Promise<void> {
    const child = this.#running.get(name);
    this.#running.delete(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  async stopAll(): Promise<void> {
    for (const name of this.#running.keys()) await this.stop(name);
  }

  complaints(): string {
    const tail = (name: string) =>
      readFileSync(join(this.#folder, `${name}.log`), 'utf8')
        .split('\n')
        .slice(-8);
    return [...this.#running.keys()].flatMap((name) => [`${name}:`, ...tail(name)]).join('\n');
  }
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + readySeconds * 1000;
  while (!(await isSo().catch(() => false))) {
    if (Date.now() > deadline) throw new Error(`Not so after ${readySeconds} seconds: ${what}.`);
    await pause(100);
  }
}
