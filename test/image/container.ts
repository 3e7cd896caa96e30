/** Starts a container of an image with the restrictions that the manual recommends. */
import { setTimeout as pause } from 'node:timers/promises';
import { DocyardClient } from '@docyard/api';
import { freePort } from '../free-port.ts';
import { podman, run } from './podman.ts';

export interface ContainerOptions {
  image: string;
  name: string;
  /** The volume of /data. */
  volume: string;
  /** A user id that the image does not know, with group 0, as OpenShift chooses it. */
  isArbitraryUser?: boolean;
  /** Arguments of podman for the security profile. */
  profile?: readonly string[];
  environment?: Record<string, string>;
  volumes?: readonly string[];
  command?: readonly string[];
}

export interface Container {
  name: string;
  origin: string;
  /** From the start to the first response that reports readiness. */
  readyMs: number;
  exec(...command: string[]): Promise<string>;
  /** Sends SIGTERM and waits; returns the status of the program. */
  stop(): Promise<number>;
}

const placement = ['run', '--detach', '--network=host', '--stop-timeout', '60'];
const security = ['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];
const restrictions = ['--read-only', '--tmpfs', '/tmp:mode=1777', ...security];
/** podman keeps no HEALTHCHECK in images of the OCI format. Without systemd it runs checks on demand only. */
const healthCheck = ['--health-cmd', 'CMD docyard-healthcheck', '--health-interval', 'disable'];
const arbitraryUser = '1000650000:0';
const readySeconds = 180;

export async function startContainer(options: ContainerOptions): Promise<Container> {
  const { image, name, volume, isArbitraryUser = false, profile = [], command = [] } = options;
  const port = await freePort();
  await run('podman', ['rm', '--force', '--time', '0', name]);
  const variables = Object.entries({ HOST: '127.0.0.1', PORT: String(port), ...options.environment });
  const mounts = [`${volume}:/data`, ...(options.volumes ?? [])];
  const started = performance.now();
  await podman(
    ...placement,
    ...restrictions,
    ...healthCheck,
    '--name',
    name,
    ...profile.flatMap((each) => ['--security-opt', each]),
    // Some platforms add the user to /etc/passwd and others do not.
    ...(isArbitraryUser ? ['--user', arbitraryUser, '--passwd=false'] : []),
    ...variables.flatMap(([key, value]) => ['--env', `${key}=${value}`]),
    ...mounts.flatMap((mount) => ['--volume', mount]),
    image,
    ...command,
  );
  const origin = `http://127.0.0.1:${port}`;
  await untilReady(name, origin);
  return {
    name,
    origin,
    readyMs: performance.now() - started,
    exec: (...args) => podman('exec', name, ...args),
    async stop() {
      await podman('stop', name);
      return Number(await podman('container', 'inspect', '--format', '{{.State.ExitCode}}', name));
    },
  };
}

async function untilReady(name: string, origin: string): Promise<void> {
  const deadline = Date.now() + readySeconds * 1000;
  while (!(await isReady(origin))) {
    const state = await podman('container', 'inspect', '--format', '{{.State.Status}}', name);
    if (state !== 'running' || Date.now() > deadline) {
      const { stdout, stderr } = await run('podman', ['logs', '--tail', '20', name]);
      throw new Error(`${name} is ${state} and not ready:\n${stdout}${stderr}`);
    }
    await pause(50);
  }
}

async function isReady(origin: string): Promise<boolean> {
  const answer = await fetch(`${origin}/readyz`).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.ok === true;
}

export async function clientOf(container: Container): Promise<DocyardClient> {
  const apiKey = await container.exec('cat', '/data/admin-key');
  return new DocyardClient({ baseUrl: container.origin, apiKey });
}

export async function freshVolume(name: string): Promise<string> {
  await run('podman', ['volume', 'rm', '--force', name]);
  return podman('volume', 'create', name);
}

/** Fails unless the check of the container, as podman runs it, reports this health. */
export async function expectHealth({ name }: { name: string }, isHealthy: boolean): Promise<void> {
  const { status, stdout, stderr } = await run('podman', ['healthcheck', 'run', name]);
  if ((status === 0) !== isHealthy)
    throw new Error(`The health check of ${name} ended with ${status}: ${stdout}${stderr}`);
}
