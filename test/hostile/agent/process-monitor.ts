/** Observes a running service from outside: its processes, their connections, and the files around it. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';

export interface Watch {
  problems: Set<string>;
  /** Commands that were seen, as proof that the monitor works. */
  commands: Set<string>;
  stop(): void;
}

export interface WatchOptions {
  pid: number;
  /** Ports that the service may connect to, and its own. */
  ports: readonly number[];
}

const pauseMilliseconds = 50;

/** A short-lived process may be missed; canary files and names in PATH cover those. */
export function watchProcesses({ pid, ports }: WatchOptions): Watch {
  const problems = new Set<string>();
  const commands = new Set<string>();
  const look = (): void => {
    const own = commandOf(pid);
    const tree = [pid, ...descendants(pid)];
    for (const each of tree.slice(1)) {
      const command = commandOf(each);
      // Between fork and exec a child has the command of its parent.
      if (command === '' || command === own) continue;
      commands.add(command);
      if (!isExpected(command)) problems.add(`a process was started: ${command.slice(0, 300)}`);
    }
    for (const peer of peersOf(tree, ports)) problems.add(`a connection was opened: ${peer}`);
  };
  const timer = setInterval(look, pauseMilliseconds);
  return { problems, commands, stop: () => clearInterval(timer) };
}

/** git and its launcher, and rendering processes; sandboxed processes are not checked. */
const expected = [
  /^\/bin\/sh -c trap '' XFSZ && ulimit -f "\$0" && exec git "\$@" /,
  /^(?:\S*\/)?git(?:-remote-https?)? /,
  /^\S*\/node (?:--\S+ )*\S*\/packages\/(?:render\/src\/pipeline\/page-process|server\/src\/(?:exports\/child|agent\/site-check-child|agent\/policy\/page-child))\.[jt]s\b/,
  /^bwrap /,
];

function isExpected(command: string): boolean {
  return expected.some((form) => form.test(command));
}

function descendants(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' '))
      .filter((text) => text !== '')
      .flatMap((text) => {
        const child = Number(text);
        return commandOf(child).startsWith('bwrap ') ? [child] : [child, ...descendants(child)];
      });
  } catch {
    // The process has exited.
    return [];
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** Remote ends of connections that are not allowed; a datagram is a DNS query. */
function peersOf(pids: readonly number[], ports: readonly number[]): string[] {
  const sockets = new Set(pids.flatMap(socketsOf));
  return ['tcp', 'tcp6', 'udp', 'udp6'].flatMap((protocol) =>
    readFileSync(`/proc/net/${protocol}`, 'utf8')
      .split('\n')
      .slice(1)
      .flatMap((line) => {
        const [, local = '', remote = '', , , , , , , inode = ''] = line.trim().split(/\s+/);
        if (!sockets.has(inode)) return [];
        const [near, far] = [portOf(local), portOf(remote)];
        const isAllowed =
          protocol.startsWith('tcp') && (far === 0 || ports.some((p) => p === near || p === far));
        return isAllowed ? [] : [`${protocol} ${remote} (port ${far})`];
      }),
  );
}

function portOf(address: string): number {
  return Number.parseInt(address.slice(address.lastIndexOf(':') + 1), 16);
}

function socketsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${name}`)) ?? [];
      return inode === undefined ? [] : [inode];
    });
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** Files by hash, links by target. */
export function contentsOf(folder: string, isLeftOut: (path: string) => boolean): Map<string, string> {
  const found = new Map<string, string>();
  const waiting = [''];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const entry of readdirSync(join(folder, at), { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (isLeftOut(path)) continue;
      if (entry.isDirectory()) waiting.push(path);
      else if (entry.isSymbolicLink()) found.set(path, `link to ${readlinkSync(join(folder, path))}`);
      else
        found.set(
          path,
          createHash('sha256')
            .update(readFileSync(join(folder, path)))
            .digest('hex'),
        );
    }
  }
  return found;
}

export function differences(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  );
}

/** A port that hostile cases name and that must not be contacted; it counts connections. */
export async function startCanary(): Promise<{ host: string; visits(): number; close(): Promise<void> }> {
  let visits = 0;
  const server = createServer((socket) => {
    visits += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    visits: () => visits,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
