/** Limits pipelined requests, because node:http parses a whole packet in one turn of the event loop. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const defaultMaxPipelined = 64;
const pipelined = new WeakMap<Socket, number>();

/** False when the connection is closed and the request must be ignored. */
export function admitPipelined(
  socket: Socket,
  response: ServerResponse,
  maxPipelined = defaultMaxPipelined,
): boolean {
  if (socket.destroyed) return false;
  // node:http assigns the socket once all earlier responses have ended.
  if (response.socket !== null) return true;
  const count = (pipelined.get(socket) ?? 0) + 1;
  if (count > maxPipelined) {
    socket.destroy();
    return false;
  }
  pipelined.set(socket, count);
  response.once('close', () => pipelined.set(socket, (pipelined.get(socket) ?? 1) - 1));
  return true;
}
