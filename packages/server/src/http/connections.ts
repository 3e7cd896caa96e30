/**
 * Keeps the number of open connections in bounds. Whoever has shown a valid key or link is known; strangers may take only
 * a part of the room from one address, and an idle one makes way when there is no more. One too many for whom nobody can
 * make way is listened to for a moment, so that it can be told to come back instead of being cut.
 */
import type { Socket } from 'node:net';
import { subscriberOf } from '../keys/addresses.ts';

export interface ConnectionLimits {
  connections: number;
  /** Behind a proxy all of them come from one address. */
  strangersOfAddress: number;
  /** How long one too many may take to say what it wants. */
  surplusMs: number;
}

interface Connection {
  address: string;
  isStranger: boolean;
  requests: number;
}

const strangers = new WeakMap<Socket, () => void>();

/** Somebody with a right to be here is at the other end. */
export function vouchFor(socket: Socket): void {
  strangers.get(socket)?.();
}

export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #mostSurplus: number;
  readonly #open = new Map<Socket, Connection>();
  readonly #surplus = new Set<Socket>();
  /** Oldest first. */
  readonly #idleStrangers = new Set<Socket>();
  readonly #strangersOf = new Map<string, number>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
    this.#mostSurplus = Math.max(100, limits.connections / 10);
  }

  get count(): number {
    return this.#open.size + this.#surplus.size;
  }

  accept(socket: Socket): void {
    const address = subscriberOf(socket.remoteAddress ?? '');
    if (!this.#findRoom(address)) {
      this.#acceptForAMoment(socket);
      return;
    }
    const connection = { address, isStranger: true, requests: 0 };
    this.#open.set(socket, connection);
    this.#strangersOf.set(address, (this.#strangersOf.get(address) ?? 0) + 1);
    strangers.set(socket, () => this.#becomeKnown(connection));
    this.#idleStrangers.add(socket);
    socket.once('close', () => this.#forget(socket));
  }

  /** False when the request must be refused. */
  begin(socket: Socket): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined) return false;
    connection.requests += 1;
    this.#idleStrangers.delete(socket);
    return true;
  }

  end(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.requests -= 1;
    if (connection.isStranger && connection.requests === 0) this.#idleStrangers.add(socket);
  }

  isIdle(socket: Socket): boolean {
    return (this.#open.get(socket)?.requests ?? 0) === 0;
  }

  #findRoom(address: string): boolean {
    const isCrowded = (this.#strangersOf.get(address) ?? 0) >= this.#limits.strangersOfAddress;
    if (!isCrowded && this.#open.size < this.#limits.connections) return true;
    for (const oldest of this.#idleStrangers) {
      if (isCrowded && this.#open.get(oldest)?.address !== address) continue;
      this.#forget(oldest);
      oldest.destroy();
      return true;
    }
    return false;
  }

  #acceptForAMoment(socket: Socket): void {
    if (this.#surplus.size >= this.#mostSurplus) {
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

  #becomeKnown(connection: Connection): void {
    if (!connection.isStranger) return;
    connection.isStranger = false;
    const left = (this.#strangersOf.get(connection.address) ?? 1) - 1;
    if (left > 0) this.#strangersOf.set(connection.address, left);
    else this.#strangersOf.delete(connection.address);
  }

  #forget(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    this.#open.delete(socket);
    this.#idleStrangers.delete(socket);
    this.#becomeKnown(connection);
  }
}
