import { once } from 'node:events';
import { type RequestListener, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { EgressPolicy } from './addresses.ts';
import { fetchDocument } from './fetch.ts';

const running: (() => void)[] = [];
afterEach(() => {
  for (const stop of running.splice(0)) stop();
});

async function serve(answer: RequestListener, host = '127.0.0.1', port = 0): Promise<number> {
  const server = createServer(answer).listen(port, host);
  await once(server, 'listening');
  running.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** The operator lists `specs.test`, which is this machine. */
const listed: EgressPolicy = { allowedHosts: ['specs.test'], lookup: () => Promise.resolve(['127.0.0.1']) };

async function text(work: Promise<Uint8Array>): Promise<string> {
  return new TextDecoder().decode(await work);
}

test('a document of a listed host is fetched without credentials or cookies', async () => {
  const port = await serve((request, response) => {
    const { host, cookie, authorization, referer } = request.headers;
    response.end(JSON.stringify({ url: request.url, host, cookie, authorization, referer }));
  });
  expect(JSON.parse(await text(fetchDocument(`http://specs.test:${port}/a?b=c#d`, listed)))).toEqual({
    url: '/a?b=c',
    host: `specs.test:${port}`,
  });
});

test('private addresses are refused before a connection, as literals and by name', async () => {
  let dialled = 0;
  const port = await serve((_, response) => response.end(String((dialled += 1))));
  for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0x7f.1', '2130706433', 'specs.test']) {
    const policy = { allowedHosts: [], lookup: () => Promise.resolve(['127.0.0.1']) };
    await expect(fetchDocument(`https://${host}:${port}/`, policy), host).rejects.toMatchObject({
      problem: 'refused',
    });
  }
  expect(dialled).toBe(0);
});

test('the checked address is dialed even if the name resolves differently later', async () => {
  const port = await serve((request, response) => {
    if (request.url === '/again') response.end('checked');
    else response.writeHead(302, { location: '/again' }).end();
  });
  await serve((_, response) => response.end('rebound'), '127.0.0.2', port);
  const answers = ['127.0.0.1', '127.0.0.2', '127.0.0.2'];
  let asked = 0;
  const lookup = () => Promise.resolve([answers[asked++] ?? '']);
  expect(await text(fetchDocument(`http://specs.test:${port}/`, { ...listed, lookup }))).toBe('checked');
  expect(asked).toBe(1);
});

test('redirects to another host, port or scheme and endless redirects are refused', async () => {
  let location = '';
  const port = await serve((_, response) => response.writeHead(302, { location }).end());
  const fetching = () =>
    fetchDocument(`http://specs.test:${port}/`, { ...listed, allowedHosts: ['specs.test', 'other.test'] });
  for (location of [
    `http://other.test:${port}/`,
    `http://specs.test:${port + 1}/`,
    `https://specs.test:${port}/`,
    '//169.254.169.254/',
  ])
    await expect(fetching(), location).rejects.toMatchObject({ problem: 'refused' });
  location = '/';
  await expect(fetching()).rejects.toMatchObject({ message: 'The host specs.test redirects too often.' });
});

test('a document over the limit is refused with and without Content-Length', async () => {
  const port = await serve((request, response) => {
    if (request.url === '/announced') response.setHeader('content-length', 2_000_000);
    const part = Buffer.alloc(10_000);
    const more = (): void => {
      while (!response.destroyed && response.write(part));
    };
    response.on('drain', more);
    more();
  });
  for (const path of ['announced', 'endless']) {
    const fetching = fetchDocument(`http://specs.test:${port}/${path}`, listed, {
      limits: { bytes: 1_000_000, seconds: 30 },
    });
    await expect(fetching).rejects.toMatchObject({ problem: 'too_large' });
  }
});

test('a silent or slow server is abandoned at the time limit', async () => {
  const port = await serve((request, response) => {
    if (request.url === '/drip') response.write('{');
  });
  for (const path of ['silent', 'drip']) {
    const fetching = fetchDocument(`http://specs.test:${port}/${path}`, listed, {
      limits: { bytes: 1000, seconds: 0.2 },
    });
    await expect(fetching).rejects.toMatchObject({
      problem: 'unavailable',
      message: 'The host specs.test did not answer within 0.2 seconds.',
    });
  }
});

test('the signal aborts the fetch', async () => {
  const port = await serve(() => undefined);
  const stop = new AbortController();
  const fetching = fetchDocument(`http://specs.test:${port}/`, listed, { signal: stop.signal });
  stop.abort(new Error('enough'));
  await expect(fetching).rejects.toThrow('enough');
});

test.each([
  ['no address at all', 'refused'],
  ['https://user:secret@specs.test/', 'refused'],
  ['file:///etc/passwd', 'refused'],
])('%s is refused', async (address, problem) => {
  await expect(fetchDocument(address, listed)).rejects.toMatchObject({ problem });
});

test('an error response is reported by its status', async () => {
  const port = await serve((_, response) => response.writeHead(403).end('inner secret'));
  await expect(fetchDocument(`http://specs.test:${port}/`, listed)).rejects.toMatchObject({
    message: 'The host specs.test answered with status 403.',
  });
});
