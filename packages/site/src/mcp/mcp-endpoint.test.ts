/** The SDK's own client against a real server. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { cleanUp } from '../../../../test/cleanups.ts';
import { indexFiles } from '../../../render/test/support/memory-search.ts';
import { type Files, makeSite, startServer, statusOf } from '../../test/support/served-releases.ts';
import { sessionKey } from '../../test/support/private-site.ts';
import { AccessGate } from '../access/access-gate.ts';
import { JwtSignIn, parseTokenKey } from '../access/jwt-sign-in.ts';
import { CookieSigner } from '../access/signed-cookies.ts';
import { HostedSite } from '../serving/hosted-site.ts';
import { SiteServer } from '../serving/site-server.ts';
import { mcpEndpoint } from './mcp-endpoint.ts';

const index = {
  format: 1,
  name: 'Tides',
  description: 'When the water comes.',
  instructions: ['Times are in UTC.'],
  navigation: [
    {
      title: 'Guides',
      entries: [
        { title: 'Welcome', path: '' },
        { title: 'More', entries: [{ title: 'Ebb & flow', path: 'guides/ebb flow' }] },
      ],
    },
  ],
  operations: [
    {
      kind: 'operation',
      method: 'GET',
      target: '/harbours/{id}',
      title: 'Get a harbour',
      path: 'api/get-harbour',
    },
    {
      kind: 'operation',
      method: 'POST',
      target: '/harbours',
      title: 'Add a harbour',
      path: 'api/add-harbour',
    },
    { kind: 'channel', method: '', target: 'tides', title: 'Tides', path: 'api/tides' },
  ],
};
const files: Files = {
  'index.html': 'home',
  'index.md': '# Welcome\n\nThe water comes.',
  'guides/ebb flow.html': 'ebb',
  'guides/ebb flow.md': '# Ebb',
  'cli/index.html': 'cli',
  'cli/index.md': '# Commands',
  'api/get-harbour.md': '# Get a harbour\n\n## OpenAPI',
  'long.md': 'tide '.repeat(20_000),
  '_hosts/docyard.json': JSON.stringify({
    format: 1,
    basePath: '',
    headers: {},
    redirects: [{ from: '/old', to: '/cli/', permanent: true }],
    patterns: [],
  }),
  '_docyard/site.json': JSON.stringify(index),
};

/** A page with a search index that finds it. */
function searchable(secret: string): Files {
  const html = `<p>Moorings.</p><h2 id="ebb">At ebb</h2><p>Remember the ${secret}word.</p>`;
  const markdown = `# ${secret}\n\nMoorings.\n\n## At ebb\n\nRemember the ${secret}word.\n`;
  return {
    ...Object.fromEntries(indexFiles([{ title: secret, html }])),
    'p0.html': html,
    'p0.md': markdown,
  };
}

type ServerOptions = NonNullable<Parameters<typeof startServer>[1]>;

async function serve(content: Files = files, options: ServerOptions = {}) {
  const server = await startServer(await makeSite(content), options);
  server.hosted.add(mcpEndpoint({ hosts: options.hosts ?? [] }));
  return { ...server, url: `http://127.0.0.1:${server.port}${options.basePath ?? ''}/mcp` };
}

type ClientOptions = ConstructorParameters<typeof Client>[1];

async function connect(url: string, headers: Record<string, string> = {}, options: ClientOptions = {}) {
  const client = new Client({ name: 'test', version: '1' }, options);
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  cleanUp(() => client.close());
  return client;
}

async function call(client: Client, name: string, input: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const text = (content as { text: string }[]).map((part) => part.text).join('');
  return isError === true ? `error: ${text}` : text;
}

describe('the MCP server of a site', () => {
  test.each([
    ['a client that negotiates the protocol version', {}],
    ['a client of the handshake with initialize', { supportedProtocolVersions: ['2025-06-18'] }],
    ['a client of an old version', { supportedProtocolVersions: ['2025-03-26'] }],
  ])('%s lists the tools, which are read-only', async (_, options) => {
    const client = await connect((await serve()).url, {}, options);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'search',
      'fetch_page',
      'list_navigation',
      'list_api_operations',
      'describe_api_operation',
    ]);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    expect(client.getInstructions()).toContain('Times are in UTC.');
    expect(await call(client, 'fetch_page', { page: '/' })).toBe('# Welcome\n\nThe water comes.');
  });

  test('fetch_page accepts paths and URLs, also below a base path, and follows redirects', async () => {
    const client = await connect((await serve(files, { basePath: '/docs' })).url);
    const pages = [
      '/',
      '',
      '/docs/',
      'https://docs.example.com/docs/guides/ebb%20flow?x=1#top',
      'guides/ebb flow',
      '/docs/guides/ebb flow.html',
      'guides/ebb flow.md',
      'cli',
      '/docs/cli/',
      '/old',
      '../../etc/passwd',
      '%2e%2e/%2e%2e/etc/passwd',
      '%zz',
      '_docyard/site.json',
      'no%00thing',
    ];
    const found = await Promise.all(pages.map((page) => call(client, 'fetch_page', { page })));
    expect(found.map((text) => text.split('\n', 1)[0]?.slice(0, 30))).toMatchInlineSnapshot(`
      [
        "# Welcome",
        "error: Input validation error:",
        "# Welcome",
        "# Ebb",
        "# Ebb",
        "# Ebb",
        "# Ebb",
        "# Commands",
        "# Commands",
        "# Commands",
        "error: There is no page ../../",
        "error: There is no page %2e%2e",
        "error: There is no page %zz. U",
        "error: There is no page _docya",
        "error: There is no page no%00t",
      ]
    `);
  });

  test('a long page is returned in parts', async () => {
    const client = await connect((await serve()).url);
    const first = await call(client, 'fetch_page', { page: 'long' });
    expect(first.length).toBeLessThan(50_100);
    expect(first).toMatch(/\(The page has 100000 characters\. It continues at offset 50000\.\)$/);
    expect(await call(client, 'fetch_page', { page: 'long', offset: 50_000 })).toHaveLength(50_000);
    expect(await call(client, 'fetch_page', { page: 'long', offset: 200_000 })).toBe('');
  });

  test('search returns passages with their addresses', async () => {
    const client = await connect(
      (await serve({ ...files, ...searchable('Harbor') }, { basePath: '/docs' })).url,
    );
    expect(await call(client, 'search', { query: 'harborword' })).toBe(
      '[Harbor › At ebb](/docs/p0.html#ebb)\n\n## At ebb\n\nRemember the Harborword.',
    );
    expect(await call(client, 'search', { query: 'lighthouse' })).toBe('Nothing was found.');
    expect(await call(client, 'search', { query: 'x', limit: 100 })).toMatch(/^error: /);
  });

  test('search explains a damaged index', async () => {
    const damaged = { ...files, '_docyard/search/index.js': 'docyardSearch("index",{})\n' };
    expect(await call(await connect((await serve(damaged)).url), 'search', { query: 'tide' })).toMatch(
      /^error: The search index of this release is damaged/,
    );
  });

  test('list_navigation shows sections and the addresses of pages', async () => {
    const client = await connect((await serve(files, { basePath: '/docs' })).url);
    expect(await call(client, 'list_navigation')).toBe(
      '- Guides\n  - [Welcome](/docs/)\n  - More\n    - [Ebb & flow](/docs/guides/ebb%20flow)',
    );
    expect(await call(client, 'list_navigation', { section: ['Guides', 'More'] })).toBe(
      '- [Ebb & flow](/docs/guides/ebb%20flow)',
    );
    expect(await call(client, 'list_navigation', { section: ['Nowhere'] })).toMatch(
      /^error: There is no section/,
    );
  });

  test('list_navigation is bounded for a site with 10,000 pages', async () => {
    const entries = (count: number, name: string) =>
      Array.from({ length: count }, (_, at) => ({ title: `${name} ${at}`, path: `${name}/${at}` }));
    const navigation = [
      { title: 'Flat', entries: entries(9000, 'flat') },
      {
        title: 'Groups',
        entries: entries(50, 'group').map(({ title }) => ({ title, entries: entries(20, title) })),
      },
    ];
    const large = { ...files, '_docyard/site.json': JSON.stringify({ ...index, navigation }) };
    const client = await connect((await serve(large)).url);
    expect(await call(client, 'list_navigation')).toBe(
      '- Flat (section, 9000 pages)\n- Groups (section, 1000 pages)',
    );
    const groups = await call(client, 'list_navigation', { section: ['Groups'] });
    expect(groups.split('\n')).toHaveLength(50);
    expect(groups).toContain('- group 49 (section, 20 pages)');
    const flat = await call(client, 'list_navigation', { section: ['Flat'], offset: 300 });
    expect(flat.split('\n')).toHaveLength(302);
    expect(flat).toContain('- [flat 300](/flat/300)');
    expect(flat).toMatch(/8400 more entries follow at offset 600\.$/);
  });

  test('API operations are listed, filtered and described', async () => {
    const client = await connect((await serve()).url);
    expect(await call(client, 'list_api_operations')).toBe(
      '- GET /harbours/{id} – Get a harbour\n- POST /harbours – Add a harbour\n- tides – Tides (channel)',
    );
    expect(await call(client, 'list_api_operations', { filter: 'post' })).toBe(
      '- POST /harbours – Add a harbour',
    );
    const operation = { method: 'get', target: '/harbours/{id}' };
    expect(await call(client, 'describe_api_operation', operation)).toBe('# Get a harbour\n\n## OpenAPI');
    expect(await call(client, 'describe_api_operation', { method: 'PUT', target: '/harbours' })).toMatch(
      /^error: There is no operation PUT \/harbours/,
    );
  });

  test('wrong input is an error of the tool, and an unknown tool an error of the protocol', async () => {
    const client = await connect((await serve()).url);
    expect(await call(client, 'fetch_page', { page: '/nowhere' })).toMatch(
      /^error: There is no page \/nowhere\./,
    );
    expect(await call(client, 'fetch_page', { page: 'x'.repeat(3000) })).toMatch(/^error: /);
    expect(await call(client, 'fetch_page', {})).toMatch(/^error: /);
    expect(await call(client, 'list_navigation', { offset: -1 })).toMatch(/^error: /);
    await expect(client.callTool({ name: 'delete_page', arguments: {} })).rejects.toThrow(/delete_page/);
  });

  test.each([
    ['without an index', undefined],
    ['with a malformed index', '{"format":2}'],
    ['with an index that is not JSON', '{'],
  ])('a release %s still provides its pages', async (_, text) => {
    const { '_docyard/site.json': _index, ...rest } = files;
    const client = await connect(
      (await serve(text === undefined ? rest : { ...rest, '_docyard/site.json': text })).url,
    );
    expect(await call(client, 'fetch_page', { page: 'cli' })).toBe('# Commands');
    expect(await call(client, 'list_navigation')).toMatch(/^error: This release has no index/);
    expect(await call(client, 'list_api_operations')).toMatch(/^error: This release has no index/);
  });
});

describe('a request to the MCP server', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };
  const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const post = (url: string, body: string, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', body, headers: { ...json, ...headers } });

  test.each([
    ['1 MB', 'x'.repeat(1_000_000), {}, 413],
    ['malformed JSON', '{"jsonrpc"', {}, 400],
    ['no body', '', {}, 400],
    ['a number', '7', {}, 400],
    ['an object of another protocol', '{"a":1}', {}, 400],
    ['a wrong content type', JSON.stringify(initialize), { 'Content-Type': 'text/plain' }, 415],
    ['a wrong Accept header', JSON.stringify(initialize), { Accept: 'text/html' }, 406],
    ['too many messages', JSON.stringify(Array.from({ length: 21 }, () => initialize)), {}, 400],
    [
      'an unknown protocol version',
      '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      { 'MCP-Protocol-Version': '1999-01-01' },
      400,
    ],
  ])('with %s is refused', async (_, body, headers, status) => {
    const { url } = await serve();
    const answer = await post(url, body, headers);
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining('"error"')]);
    expect((await post(url, JSON.stringify(initialize))).status).toBe(200);
  });

  test('is never stored by caches and keeps no session', async () => {
    const answer = await post((await serve()).url, JSON.stringify(initialize));
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('mcp-session-id')).toBeNull();
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('may contain a small batch', async () => {
    const batch = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }));
    const answer = await post((await serve()).url, JSON.stringify(batch), {
      'MCP-Protocol-Version': '2025-03-26',
    });
    expect(answer.status).toBe(200);
    expect((await answer.text()).match(/"fetch_page"/g)).toHaveLength(2);
  });

  test('for a subscription ends at once', async () => {
    const { url } = await serve();
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: {
        notifications: { toolsListChanged: true },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    };
    const answer = await post(url, JSON.stringify(body), {
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'subscriptions/listen',
    });
    expect(await answer.text()).toContain('"error"');
  });

  test('with an origin is refused unless it is a configured host', async () => {
    const body = JSON.stringify(initialize);
    const open = await serve();
    const named = await serve(files, { hosts: ['docs.example.com', '127.0.0.1'] });
    const status = async (url: string, origin: string) => (await post(url, body, { Origin: origin })).status;
    expect(await status(open.url, 'https://evil.example')).toBe(403);
    expect(await status(open.url, new URL(open.url).origin)).toBe(403);
    expect(await status(open.url, 'null')).toBe(403);
    expect(await status(named.url, 'https://evil.example')).toBe(403);
    expect(await status(named.url, 'https://docs.example.com')).toBe(200);
  });

  test('with another method gets the page of the site with that path, or an explanation', async () => {
    const page = await serve({ ...files, 'mcp.html': 'about our server' });
    const none = await serve();
    const status = async (url: string, method: string, accept = '*/*') =>
      (await fetch(url, { method, headers: { accept } })).status;
    expect(await status(page.url, 'GET')).toBe(200);
    expect(await status(page.url, 'HEAD')).toBe(200);
    expect(await status(page.url, 'GET', 'text/event-stream')).toBe(405);
    expect(await status(none.url, 'GET')).toBe(405);
    expect(await status(none.url, 'DELETE')).toBe(405);
    expect(await status(none.url, 'PUT')).toBe(405);
    expect(await status(none.url, 'OPTIONS')).toBe(204);
  });
});

describe('the MCP server of a private site', () => {
  const secret = 'a secret of the application with 48 characters..';
  const gate = () =>
    new AccessGate({
      signIn: new JwtSignIn({
        key: parseTokenKey(secret, 'the key'),
        issuer: null,
        audience: 'docs',
        groupsClaim: 'groups',
        cookie: null,
        signInUrl: null,
      }),
      cookies: new CookieSigner(sessionKey, 'docs'),
      sessionHours: 12,
      url: null,
      trustedProxies: [],
      isSignInOptional: false,
      siteName: 'Tides',
    });
  const token = (audience: string) =>
    new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setAudience(audience)
      .setExpirationTime('1h')
      .sign(Buffer.from(secret));

  test('responds to clients with a valid token only', async () => {
    const { url } = await serve(files, { gate: gate() });
    const bearer = async (audience: string) => ({ Authorization: `Bearer ${await token(audience)}` });
    const client = await connect(url, await bearer('docs'));
    expect(await call(client, 'fetch_page', { page: 'cli' })).toBe('# Commands');
    await expect(connect(url)).rejects.toThrow();
    await expect(connect(url, await bearer('other'))).rejects.toThrow();
    const answer = await fetch(url, {
      method: 'POST',
      body: '{}',
      headers: { 'Content-Type': 'application/json' },
    });
    expect([answer.status, await answer.text()]).toEqual([401, expect.not.stringContaining('Tides')]);
  });
});

test('readers of one group receive nothing of another group', async () => {
  const siteOf = (secret: string) =>
    makeSite({
      ...files,
      [`${secret}page.md`]: `# ${secret}text`,
      ...searchable(secret),
      '_docyard/site.json': JSON.stringify({
        ...index,
        description: `${secret}about`,
        navigation: [
          { title: `${secret}section`, entries: [{ title: `${secret}title`, path: `${secret}page` }] },
        ],
        operations: [
          { kind: 'operation', method: 'GET', target: `/${secret}`, title: secret, path: `${secret}page` },
        ],
      }),
    });
  const sites = { amber: await siteOf('amber'), birch: await siteOf('birch') };
  const server = await startServer(sites.amber);
  const endpoint = mcpEndpoint({ hosts: [] });
  server.hosted.add({
    path: endpoint.path,
    serve: (exchange, reader) => {
      const site = exchange.request.headers['x-group'] === 'birch' ? sites.birch : sites.amber;
      return endpoint.serve({ ...exchange, site }, reader);
    },
  });
  const url = `http://127.0.0.1:${server.port}/mcp`;
  for (const [own, other] of [
    ['amber', 'birch'],
    ['birch', 'amber'],
    ['amber', 'birch'],
  ] as const) {
    const client = await connect(url, { 'x-group': own });
    const asked = (group: string) =>
      Promise.all([
        call(client, 'fetch_page', { page: `/${group}page` }),
        call(client, 'list_navigation', { section: [`${group}section`] }),
        call(client, 'describe_api_operation', { target: `/${group}` }),
      ]);
    const open = [await call(client, 'list_navigation'), await call(client, 'list_api_operations')];
    expect(`${client.getInstructions()} ${open.join(' ')} ${(await asked(own)).join(' ')}`).not.toContain(
      other,
    );
    expect((await asked(own)).join(' ')).toContain(`${own}text`);
    expect(await call(client, 'search', { query: `${own}word` })).toContain(`${own}word`);
    expect(await call(client, 'search', { query: `${other}word` })).toBe('Nothing was found.');
    expect((await asked(other)).every((text) => text.startsWith('error: There is no'))).toBe(true);
  }
});

test('several sites of one process have their own servers', async () => {
  const hosted = await Promise.all(
    ['one', 'two'].map(async (name) => {
      const site = new HostedSite({ status: () => statusOf(), name, basePath: `/${name}` });
      site.add(mcpEndpoint({ hosts: [] }));
      site.activate(await makeSite({ ...files, 'index.md': `# Site ${name}` }));
      return site;
    }),
  );
  const server = new SiteServer({ host: '127.0.0.1', port: 0, sites: hosted });
  cleanUp(() => server.close(0));
  const { port } = await server.listen();
  for (const name of ['one', 'two']) {
    const client = await connect(`http://127.0.0.1:${port}/${name}/mcp`);
    expect(await call(client, 'fetch_page', { page: '/' })).toBe(`# Site ${name}`);
    expect(await call(client, 'list_navigation')).toContain(`(/${name}/)`);
  }
});
