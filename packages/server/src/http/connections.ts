/**
 * Limits open connections. Unauthenticated clients get only a share of them per address, and their idle connections
 * are closed when none is free. When nothing can be closed, a surplus connection stays open briefly to receive a 503.
 */
import type { Socket } from 'node:net';
import { subscriberOf } from '@docyard/site/network';

export interface ConnectionLimits {
  connections: number;
  unauthenticatedPerAddress: number;
  /** All connections of a proxy have its address, so that limit does not apply to them. */
  isProxy(address: string): boolean;
  /** How long a surplus connection may take to send its request. */
  surplusMs: number;
}

interface Connection {
  address: string;
  isUnauthenticated: boolean;
  requests: number;
}

const authenticators = new WeakMap<Socket, () => void>();

/** Called once a client has shown a valid key or link. */
export function markAuthenticated(socket: Socket): void {
  authenticators.get(socket)?.();
}

export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #maxSurplus: number;
  readonly #open = new Map<Socket, Connection>();
  readonly #surplus = new Set<Socket>();
  /** Oldest first. */
  readonly #idleUnauthenticated = new Set<Socket>();
  readonly #unauthenticatedByAddress = new Map<string, number>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
    this.#maxSurplus = Math.max(100, limits.connections / 10);
  }

  get count(): number {
    return this.#open.size + this.#surplus.size;
  }

  accept(socket: Socket): void {
    const remote = socket.remoteAddress ?? '';
    const address = subscriberOf(remote);
    const maxOfAddress = this.#limits.isProxy(remote) ? Infinity : this.#limits.unauthenticatedPerAddress;
    if (!this.#findRoom(address, maxOfAddress)) {
      this.#acceptSurplus(socket);
      return;
    }
    const connection = { address, isUnauthenticated: true, requests: 0 };
    this.#open.set(socket, connection);
    this.#unauthenticatedByAddress.set(address, (this.#unauthenticatedByAddress.get(address) ?? 0) + 1);
    authenticators.set(socket, () => this.#authenticate(connection));
    this.#idleUnauthenticated.add(socket);
    socket.once('close', () => this.#remove(socket));
  }

  /** False when the request must be refused. */
  begin(socket: Socket): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined) return false;
    connection.requests += 1;
    this.#idleUnauthenticated.delete(socket);
    return true;
  }

  end(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.requests -= 1;
    if (connection.isUnauthenticated && connection.requests === 0) this.#idleUnauthenticated.add(socket);
  }

  isIdle(socket: Socket): boolean {
    return (this.#open.get(socket)?.requests ?? 0) === 0;
  }

  #findRoom(address: string, maxOfAddress: number): boolean {
    const isCrowded = (this.#unauthenticatedByAddress.get(address) ?? 0) >= maxOfAddress;
    if (!isCrowded && this.#open.size < this.#limits.connections) return true;
    for (const oldest of this.#idleUnauthenticated) {
      if (isCrowded && this.#open.get(oldest)?.address !== address) continue;
      this.#remove(oldest);
      oldest.destroy();
      return true;
    }
    return false;
  }

  #acceptSurplus(socket: Socket): void {
    if (this.#surplus.size >= this.#maxSurplus) {
      socket.destroy();
      return;
    }
    this.#surplus.add(socket);
    const timer = setTimeout(() => socket.destroy(), this.#limits.surplusMs);
    socket.once('close', () => {
      clearTimeout(timer);
      this.#surplus.delete(socket);
    });
  }

  #authenticate(connection: Connection): void {
    if (!connection.isUnauthenticated) return;
    connection.isUnauthenticated = false;
    const left = (this.#unauthenticatedByAddress.get(connection.address) ?? 1) - 1;
    if (left > 0) this.#unauthenticatedByAddress.set(connection.address, left);
    else this.#unauthenticatedByAddress.delete(connection.address);
  }

  #remove(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    this.#open.delete(socket);
    this.#idleUnauthenticated.delete(socket);
    this.#authenticate(connection);
  }
}
