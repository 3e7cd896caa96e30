/** Images in place of those of other projects that deploy/compose.yaml names, made of Debian's packages. */
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { importImage, makeDebian } from './base-image.ts';
import { folder, run } from './podman.ts';

export const postgresImage = 'localhost/postgres:image-test';
export const caddyImage = 'localhost/caddy:image-test';

/** Takes the variables of the official image. */
const startPostgres = `#!/bin/sh
set -eu
data=/var/lib/postgresql/data
PATH="$(echo /usr/lib/postgresql/*/bin):$PATH"
as() { setpriv --reuid postgres --regid postgres --clear-groups "$@"; }
if ! [ -e $data/PG_VERSION ]; then
  chown postgres: $data
  install -o postgres -m 0600 "$POSTGRES_PASSWORD_FILE" /tmp/password
  as initdb --username "$POSTGRES_USER" --pwfile /tmp/password --auth scram-sha-256 --no-sync -D $data
  echo "CREATE DATABASE $POSTGRES_DB" | as postgres --single -D $data postgres
  echo 'host all all all scram-sha-256' >> $data/pg_hba.conf
fi
exec setpriv --reuid postgres --regid postgres --clear-groups \\
  postgres -D $data -c listen_addresses='*' -c unix_socket_directories=/tmp
`;

const caddyCommand = ['caddy', 'run', '--config', '/etc/caddy/Caddyfile', '--adapter', 'caddyfile'];

export async function makeStandIns(): Promise<void> {
  const found = await run('podman', ['image', 'exists', caddyImage]);
  if (found.status === 0) return;
  const files = join(folder, 'stand-ins');
  rmSync(files, { recursive: true, force: true });
  await makeDebian(files, ['postgresql', 'caddy']);
  writeFileSync(join(files, 'usr/local/bin/start-postgres'), startPostgres, { mode: 0o755 });
  await importImage(files, postgresImage, ['CMD ["start-postgres"]']);
  const folders = ['ENV XDG_DATA_HOME=/data', 'ENV XDG_CONFIG_HOME=/config'];
  await importImage(files, caddyImage, [`CMD ${JSON.stringify(caddyCommand)}`, ...folders]);
  rmSync(files, { recursive: true, force: true });
}

export interface Forwarder {
  port: number;
  close(): void;
}

/** Lets containers reach a server that listens on the loopback address of the machine. */
export async function forwardTo(origin: string): Promise<Forwarder> {
  const target = Number(new URL(origin).port);
  const server: Server = createServer((socket) => {
    const other = connect(target, '127.0.0.1');
    socket.on('error', () => other.destroy());
    other.on('error', () => socket.destroy());
    socket.pipe(other).pipe(socket);
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  server.unref();
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}
