/**
 * Keeps the number of open connections in bounds. Readers keep theirs open for the next page, so one too many costs the one
 * its place that has been silent for longest; only when every one is being sent something is the newcomer turned away.
 */
import type { Socket } from 'node:net';

export class ConnectionBounds {
  readonly #most: number;
  /** Longest silent first. */
  readonly #open = new Set<Socket>();
  /** With the number of answers that are being read from disk for them. */
  readonly #busy = new Map<Socket, number>();
  refused = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get count(): number {
    return this.#open.size;
  }

  /** False when it was turned away. */
  accept(socket: Socket): boolean {
    if (this.#open.size >= this.#most && !this.#makeRoom()) {
      this.refused += 1;
      socket.destroy();
      return false;
    }
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    return true;
  }

  /** Somebody has asked for something on it. */
  touch(socket: Socket): void {
    if (this.#open.delete(socket)) this.#open.add(socket);
  }

  /** It is not closed for somebody else until the returned function is called. */
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
    for (const socket of this.#open) if (socket.bytesRead === 0) socket.destroy();
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
