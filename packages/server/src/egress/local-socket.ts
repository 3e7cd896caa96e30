/** Unix sockets for sandboxed programs. */
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import type { Server, Socket } from 'node:net';
import { join } from 'node:path';

export interface LocalSocket {
  path: string;
  /** Ends all connections too. */
  close(): Promise<void>;
}

/** A socket path is limited to 107 bytes, so a long folder is addressed through /proc/self/fd. Linux only. */
export async function listenIn(folder: string, name: string, server: Server): Promise<LocalSocket> {
  const connections = new Set<Socket>();
  server.on('connection', (connection: Socket) => {
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
  });
  const handle = await open(folder);
  server.listen(`/proc/self/fd/${handle.fd}/${name}`);
  await once(server, 'listening');
  return {
    path: join(folder, name),
    async close() {
      for (const connection of connections) connection.destroy();
      server.close();
      await once(server, 'close');
      await handle.close();
    },
  };
}
