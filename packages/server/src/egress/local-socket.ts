/**
 * A Unix socket in a folder of ours, for whoever is shown that file and nobody else. It knows nothing of what is said
 * over it.
 */
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import type { Server, Socket } from 'node:net';
import { join } from 'node:path';

export interface LocalSocket {
  path: string;
  /** Ends all connections too. */
  close(): Promise<void>;
}

/** The kernel takes 107 bytes for the address of a socket, so a long folder is named by its handle. Linux only. */
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
