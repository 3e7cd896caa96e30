/**
 * Serves a preview to the browser of whoever writes: pages with one script more than an export has, the files beside them,
 * and a stream of what changes. It reads nothing that the preview does not hand out.
 */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { Preview } from '@docyard/render';
import { readRequestPath, sendFile, staticFile } from '@docyard/site/serving';
import type { PageState, PreviewSession } from './session.ts';

export interface PreviewServerOptions {
  preview: Preview;
  session: PreviewSession;
  host: string;
  port: number;
  onFault: (error: unknown) => void;
}

const portsTried = 50;
/** A proxy between browser and preview may end a stream on which nothing is said. */
const aliveMs = 20_000;
/** What a page in the preview has more, by address. Scripts are written in parts. */
const ownFiles = { 'preview.js': ['1-corner.js', '2-page.js'], 'preview.css': ['preview.css'] };

export class PreviewServer {
  readonly #options: PreviewServerOptions;
  readonly #server: Server;
  readonly #own = new Map<string, Uint8Array>();

  constructor(options: PreviewServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        options.onFault(error);
        if (response.headersSent) response.destroy();
        else sendText(response, 500, 'The preview failed to answer; the terminal says why.\n');
      });
    });
  }

  /** The port it got: the next free one when the wanted one is taken. */
  async listen(): Promise<number> {
    for (const [name, parts] of Object.entries(ownFiles)) {
      const read = parts.map((part) => readFile(new URL(`./files/${part}`, import.meta.url)));
      this.#own.set(`_docyard/${name}`, Buffer.concat(await Promise.all(read)));
    }
    const { host, port } = this.#options;
    for (let tried = 0; ; tried += 1) {
      const next = port === 0 ? 0 : port + tried;
      try {
        return await listenAt(this.#server, host, next);
      } catch (error) {
        const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
        if (!taken || tried + 1 >= portsTried || next + 1 > 65_535) throw error;
      }
    }
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    response.setHeader('Referrer-Policy', 'same-origin');
    if (!isOwnHost(request.headers.host, this.#options.host))
      return sendText(response, 403, 'This host name is not one of the preview.\n');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      return sendText(response, 405, 'A preview can only be read.\n');
    }
    const address = readAddress(request.url ?? '/');
    if (address === undefined) return sendText(response, 400, 'This address cannot be read.\n');
    const { path, query } = address;
    if (path === '_docyard/preview/events') return this.#stream(query.get('page') ?? '', response);
    const own = this.#own.get(path);
    if (own) return sendContent(request, response, { path, content: own });
    const found = this.#options.preview.findPage(path);
    if (found && !found.isExact) {
      response.setHeader('Location', `/${found.output.split('/').map(encodeURIComponent).join('/')}`);
      return sendText(response, 302, '');
    }
    if (found) return this.#sendPage(request, response, found.output, path);
    const content = await this.#options.preview.file(path);
    if (content !== undefined) return sendContent(request, response, { path, content });
    const html = withScript(this.#options.preview.notFound(), { prefix: '/', address: path, version: '' });
    await sendContent(request, response, { path: '404.html', content: html, isFound: false });
  }

  async #sendPage(
    request: IncomingMessage,
    response: ServerResponse,
    output: string,
    address: string,
  ): Promise<void> {
    const page = await this.#options.session.page(output);
    if (!page) return sendText(response, 404, 'The page has just been removed.\n');
    const prefix = '../'.repeat(output.split('/').length - 1);
    const html = withScript(page.html, { prefix, address, version: page.version });
    await sendContent(request, response, { path: output, content: html });
  }

  #stream(address: string, response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.write('retry: 500\n\n');
    const tell = (state: PageState): void => void response.write(`data: ${JSON.stringify(state)}\n\n`);
    const leave = this.#options.session.join({ address, tell });
    const alive = setInterval(() => response.write(':\n\n'), aliveMs);
    response.once('close', () => {
      clearInterval(alive);
      leave();
    });
  }
}

function listenAt(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

/**
 * A page of the web may give its own name the address of this machine and then read what is served here. A name that is
 * ours, or no name at all, cannot be such a one.
 */
export function isOwnHost(header: string | undefined, boundTo: string): boolean {
  const name = (header ?? '')
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
  return (
    isIP(name) !== 0 ||
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === boundTo.toLowerCase() ||
    name === hostname().toLowerCase()
  );
}

function readAddress(target: string): { path: string; query: URLSearchParams } | undefined {
  const read = readRequestPath(target);
  if (typeof read === 'string' || read.hasControlCharacter || read.path.includes('\\')) return undefined;
  return { path: read.path.slice(1), query: new URLSearchParams(read.query) };
}

/**
 * First among the scripts of the page, since it must see what the others do. The page for unknown addresses allows no
 * script at all in an export.
 */
export function withScript(
  html: string,
  { prefix, address, version }: { prefix: string; address: string; version: string },
): string {
  const page = encodeURIComponent(address);
  const script = `<script src="${prefix}_docyard/preview.js" data-page="${page}" data-version="${version}" defer></script>\n`;
  const at = html.indexOf('<script src="');
  if (at >= 0) return html.slice(0, at) + script + html.slice(at);
  return html
    .replace(
      "default-src 'none'; style-src ",
      "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' ",
    )
    .replace('</head>', `${script}</head>`);
}

type PreviewContent = string | Uint8Array | { copyFrom: string };

async function sendContent(
  request: IncomingMessage,
  response: ServerResponse,
  { path, content, isFound = true }: { path: string; content: PreviewContent; isFound?: boolean },
): Promise<void> {
  const headers = ['Cache-Control', 'no-cache'];
  // A file without an ending is the page of an old address.
  const named = /\.\w+$/.test(path) ? path : `${path}.html`;
  if (typeof content === 'string' || content instanceof Uint8Array) {
    const bytes = Buffer.from(content);
    const tag = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
    const file = staticFile({ path: named, tag, plain: { bytes }, headers, isFound });
    return sendFile({ request, response, textHeaders: [] }, file);
  }
  const { size: sizeBytes, mtimeMs } = await stat(content.copyFrom);
  const file = staticFile({
    path,
    tag: `${sizeBytes}-${Math.round(mtimeMs)}`,
    plain: { file: content.copyFrom, offset: 0, sizeBytes },
    headers,
  });
  sendFile({ request, response, textHeaders: [] }, file);
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' });
  response.end(text);
}
