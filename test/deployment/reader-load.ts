/**
 * Readers on several keep-alive connections that request pages and assets in every encoding. Each response must be a complete
 * file of one of the served releases.
 */
import { createHash } from 'node:crypto';
import { Agent, request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

const pauseMs = 4;
const encodings = ['identity', 'gzip', 'br'] as const;

interface Listed {
  path: string;
  sha256: string;
}

export class Hammer {
  requests = 0;
  readonly failures: string[] = [];
  /** `path sha256` of every response. */
  readonly #seen = new Set<string>();
  readonly #paths: string[];
  #isStopping = false;
  readonly #readers: Promise<void>[];

  constructor(origin: string, { connections, paths }: { connections: number; paths: string[] }) {
    this.#paths = paths;
    this.#readers = Array.from({ length: connections }, (_, index) => this.#read(origin, index));
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#readers);
  }

  hasSeen({ path, sha256 }: Listed): boolean {
    return this.#seen.has(`${path} ${sha256}`);
  }

  /** Responses that are not a file of any of these releases. */
  unexplained(releases: readonly { files: readonly Listed[] }[]): string[] {
    const right = new Set(
      releases.flatMap(({ files }) => files.map(({ path, sha256 }) => `${path} ${sha256}`)),
    );
    return [...this.#seen].filter((answer) => !right.has(answer));
  }

  async #read(origin: string, offset: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let turn = offset * 7; !this.#isStopping; turn += 1) {
      const path = this.#paths[turn % this.#paths.length] ?? '';
      const encoding = encodings[turn % encodings.length] ?? 'identity';
      const complaint = await this.#ask(origin, path, encoding, agent).catch((error: Error) => error.message);
      this.requests += 1;
      if (complaint !== undefined) this.failures.push(`${path} (${encoding}): ${complaint}`);
      // Leaves processor time for the server.
      await pause(pauseMs);
    }
    agent.destroy();
  }

  async #ask(origin: string, path: string, encoding: string, agent: Agent): Promise<string | undefined> {
    const headers = { 'accept-encoding': encoding };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(`${origin}/${path}`, { agent, headers }, resolve).on('error', reject).end();
    });
    const body = await buffer(answer);
    if (answer.statusCode !== 200) return `status ${answer.statusCode}`;
    if (Number(answer.headers['content-length']) !== body.length) return `only ${body.length} bytes`;
    const content = decoded(body, answer.headers['content-encoding']);
    this.#seen.add(`${path} ${createHash('sha256').update(content).digest('hex')}`);
    return undefined;
  }
}

function decoded(body: Buffer, encoding: string | undefined): Buffer {
  if (encoding === 'br') return brotliDecompressSync(body);
  return encoding === 'gzip' ? gunzipSync(body) : body;
}
