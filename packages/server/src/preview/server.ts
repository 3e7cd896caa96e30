/**
 * Serves a preview to the author's browser: pages with an additional script, their assets, and an event stream of
 * changes.
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

const maxPorts = 50;
/** Proxies may close silent streams. */
const keepAliveMs = 20_000;
/** Files that the preview adds to a page, by path. Scripts are concatenated from parts. */
const previewFiles = { 'preview.js': ['1-corner.js', '2-page.js'], 'preview.css': ['preview.css'] };

export class PreviewServer {
  readonly #options: PreviewServerOptions;
  readonly #server: Server;
  readonly #previewFiles = new Map<string, Uint8Array>();

  constructor(options: PreviewServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        options.onFault(error);
        if (response.headersSent) response.destroy();
        else sendText(response, 500, 'Internal error of the preview. See the terminal.\n');
      });
    });
  }

  /** Returns the port: the next free one when the requested port is taken. */
  async listen(): Promise<number> {
    for (const [name, parts] of Object.entries(previewFiles)) {
      const read = parts.map((part) => readFile(new URL(`./files/${part}`, import.meta.url)));
      this.#previewFiles.set(`_docyard/${name}`, Buffer.concat(await Promise.all(read)));
    }
    const { host, port } = this.#options;
    for (let tried = 0; ; tried += 1) {
      const next = port === 0 ? 0 : port + tried;
      try {
        return await listenAt(this.#server, host, next);
      } catch (error) {
        const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
        if (!isTaken || tried + 1 >= maxPorts || next + 1 > 65_535) throw error;
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
      return sendText(response, 403, 'Unknown host name.\n');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      return sendText(response, 405, 'Method not allowed.\n');
    }
    const address = readAddress(request.url ?? '/');
    if (address === undefined) return sendText(response, 400, 'Invalid URL.\n');
    const { path, query } = address;
    if (path === '_docyard/preview/events') return this.#stream(query.get('page') ?? '', response);
    const previewFile = this.#previewFiles.get(path);
    if (previewFile) return sendContent(request, response, { path, content: previewFile });
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
    if (!page) return sendText(response, 404, 'The page was removed.\n');
    const prefix = '../'.repeat(output.split('/').length - 1);
    const html = withScript(page.html, { prefix, address, version: page.version });
    await sendContent(request, response, { path: output, content: html });
  }

  #stream(address: string, response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.write('retry: 500\n\n');
    const send = (state: PageState): void => void response.write(`data: ${JSON.stringify(state)}\n\n`);
    const leave = this.#options.session.join({ address, send });
    const alive = setInterval(() => response.write(':\n\n'), keepAliveMs);
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
 * Protection against DNS rebinding: a web page may point its own host name to this machine and read the preview. Only
 * our own names and IP addresses are accepted.
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
 * The first script of the page, because it observes the others. The page for unknown paths allows no scripts in an
 * export.
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
  // A file without an extension is the redirect page of an old URL.
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
