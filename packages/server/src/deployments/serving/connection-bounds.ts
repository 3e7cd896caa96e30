/**
 * Keeps the number of open connections in bounds. Readers keep theirs open for the next page, so one too many costs the
 * oldest idle one its place; only when every one is busy is the newcomer turned away.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export class ConnectionBounds {
  readonly #most: number;
  /** With the number of requests under way. */
  readonly #open = new Map<Socket, number>();
  /** Longest idle first. */
  readonly #idle = new Set<Socket>();
  refused = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get count(): number {
    return this.#open.size;
  }

  accept(socket: Socket): void {
    if (this.#open.size >= this.#most && !this.#makeRoom()) {
      this.refused += 1;
      socket.destroy();
      return;
    }
    this.#open.set(socket, 0);
    this.#idle.add(socket);
    socket.once('close', () => this.#forget(socket));
  }

  /** The connection is busy until the response is over. */
  track(socket: Socket, response: ServerResponse): void {
    this.#idle.delete(socket);
    this.#open.set(socket, (this.#open.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (this.#open.get(socket) ?? 0) - 1;
      if (left < 0) return;
      this.#open.set(socket, left);
      if (left === 0) this.#idle.add(socket);
    });
  }

  isIdle(socket: Socket): boolean {
    return (this.#open.get(socket) ?? 0) === 0;
  }

  #makeRoom(): boolean {
    for (const oldest of this.#idle) {
      this.#forget(oldest);
      oldest.destroy();
      return true;
    }
    return false;
  }

  #forget(socket: Socket): void {
    this.#open.delete(socket);
    this.#idle.delete(socket);
  }
}
