/**
 * Limits open connections. A new connection replaces the one that has been idle longest; it is refused only
 * if all are busy.
 */
import type { Socket } from 'node:net';

export class ConnectionBounds {
  readonly #maxConnections: number;
  /** Least recently used first. */
  readonly #open = new Set<Socket>();
  /** The number of responses that are being read from disk. */
  readonly #busy = new Map<Socket, number>();
  /** By address and port of the client. */
  readonly #handshakes = new Map<string, Socket>();
  /** Connections that have sent a request. */
  readonly #used = new WeakSet<Socket>();
  refused = 0;

  constructor(maxConnections: number) {
    this.#maxConnections = maxConnections;
  }

  get count(): number {
    return this.#open.size;
  }

  /** False when the connection was refused. */
  accept(socket: Socket): boolean {
    if (this.#open.size >= this.#maxConnections && !this.#makeRoom()) {
      this.refused += 1;
      socket.destroy();
      return false;
    }
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    return true;
  }

  /** A TLS connection whose handshake has not ended. */
  acceptHandshake(socket: Socket): void {
    if (!this.accept(socket)) return;
    const peer = peerOf(socket);
    this.#handshakes.set(peer, socket);
    socket.once('close', () => {
      if (this.#handshakes.get(peer) === socket) this.#handshakes.delete(peer);
    });
  }

  /** From now on the connection is known by its TLS socket, which requests refer to. */
  endHandshake(socket: Socket): void {
    const peer = peerOf(socket);
    const carrier = this.#handshakes.get(peer);
    this.#handshakes.delete(peer);
    if (carrier === undefined || !this.#open.delete(carrier)) {
      socket.destroy();
      return;
    }
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
  }

  touch(socket: Socket): void {
    this.#used.add(socket);
    if (this.#open.delete(socket)) this.#open.add(socket);
  }

  /** Protects the connection until the returned function is called. */
  hold(socket: Socket): () => void {
    this.#busy.set(socket, (this.#busy.get(socket) ?? 0) + 1);
    return () => {
      const left = (this.#busy.get(socket) ?? 1) - 1;
      if (left > 0) this.#busy.set(socket, left);
      else this.#busy.delete(socket);
    };
  }

  /** node:http counts a connection as idle only after its first request. */
  closeUnused(): void {
    for (const socket of this.#open) {
      const isSecure = 'encrypted' in socket;
      if (isSecure ? !this.#used.has(socket) : socket.bytesRead === 0) socket.destroy();
    }
  }

  closeAll(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #makeRoom(): boolean {
    for (const socket of this.#open) {
      if (socket.writableLength > 0 || this.#busy.has(socket)) continue;
      this.#open.delete(socket);
      socket.destroy();
      return true;
    }
    return false;
  }
}

function peerOf({ localPort, remoteAddress, remotePort }: Socket): string {
  return `${localPort} ${remoteAddress} ${remotePort}`;
}
