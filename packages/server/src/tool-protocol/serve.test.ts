import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import {
  serveTools,
  UnknownToolError,
  type OfferedTool,
  type ConversationLimits,
  type OngoingCall,
  type ToolServer,
} from './serve.ts';

interface Said {
  id?: string | number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

const echo: OfferedTool = { name: 'echo', description: 'Says it again.', inputSchema: { type: 'object' } };

function converse(server: Partial<ToolServer> = {}, limits?: Partial<ConversationLimits>) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const said: Said[] = [];
  let text = '';
  output.on('data', (chunk: Buffer) => {
    const lines = (text + chunk.toString()).split('\n');
    text = lines.pop() ?? '';
    said.push(...lines.map((line) => JSON.parse(line) as Said));
  });
  const usual = { lineBytes: 10_000, bytes: 1_000_000, callsAtOnce: 4, calls: 8 };
  const call = async (_name: string, given: object) => ({ texts: [JSON.stringify(given)] });
  const offered: ToolServer = { version: '1.2.3', tools: [echo], call, ...server };
  const ended = serveTools({ input, output }, offered, { ...usual, ...limits });
  return {
    said,
    ended,
    output,
    write: (line: string) => input.write(line),
    say: (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    hangUp: () => input.end(),
    answer: (id: string | number) =>
      expect.poll(() => said.find((each) => each.id === id), { timeout: 10_000 }).toBeDefined(),
    async toTheEnd(): Promise<Said[]> {
      input.end();
      await ended;
      return said;
    },
  };
}

const clientInfo = { name: 'test', version: '1' };

const stateless = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe('a client with a handshake', () => {
  test.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2024-11-05', '2024-11-05'],
    ['2026-07-28', '2025-11-25'],
    ['1999-01-01', '2025-11-25'],
  ])('a client that asks for %s gets %s', async (protocolVersion, expected) => {
    const { say, toTheEnd } = converse({ instructions: 'Be kind.' });
    say({ id: 1, method: 'initialize', params: { protocolVersion, capabilities: {}, clientInfo } });
    say({ method: 'notifications/initialized' });
    expect(await toTheEnd()).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        result: {
          protocolVersion: expected,
          capabilities: { tools: {} },
          instructions: 'Be kind.',
          serverInfo: { name: 'docyard', version: '1.2.3' },
        },
      },
    ]);
  });

  test('the client lists the tools, calls one and pings', async () => {
    const { say, toTheEnd } = converse();
    say({ id: 'a', method: 'tools/list' });
    say({ id: 'b', method: 'tools/call', params: { name: 'echo', arguments: { x: 1 } } });
    say({ id: 'c', method: 'ping' });
    const said = await toTheEnd();
    expect(said.find(({ id }) => id === 'a')?.result).toEqual({ tools: [echo] });
    const content = [{ type: 'text', text: '{"x":1}' }];
    expect(said.find(({ id }) => id === 'b')?.result).toEqual({ content, isError: false });
    expect(said.find(({ id }) => id === 'c')?.result).toEqual({});
  });
});

describe('a client of the stateless revision', () => {
  const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'docyard', version: '1.2.3' } };

  test('the client discovers the server', async () => {
    const { say, toTheEnd } = converse();
    say({ id: 1, method: 'server/discover', params: { _meta: stateless } });
    const [said] = await toTheEnd();
    expect(said?.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      _meta: serverInfo,
    });
  });

  test('results carry their type', async () => {
    const structured = { a: 1 };
    const { say, toTheEnd } = converse({ call: async () => ({ texts: ['One.', 'Two.'], structured }) });
    say({ id: 1, method: 'tools/list', params: { _meta: stateless } });
    say({ id: 2, method: 'tools/call', params: { name: 'echo', _meta: stateless } });
    const [list, call] = await toTheEnd();
    expect(list?.result).toMatchObject({ resultType: 'complete', ttlMs: 3_600_000, _meta: serverInfo });
    expect(call?.result).toEqual({
      resultType: 'complete',
      content: [
        { type: 'text', text: 'One.' },
        { type: 'text', text: 'Two.' },
      ],
      structuredContent: structured,
      isError: false,
      _meta: serverInfo,
    });
  });
});

describe('an invalid message', () => {
  test.each([
    ['text', 'hello'],
    ['an incomplete object', '{"jsonrpc":"2.0","id":1,'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a method that is a number', '{"jsonrpc":"2.0","method":7}'],
    ['an array nested too deeply', '['.repeat(9000)],
    ['an unknown notification', '{"jsonrpc":"2.0","method":"notifications/unknown"}'],
    ['an answer to no question', '{"jsonrpc":"2.0","id":9,"result":{}}'],
    ['an empty line', ''],
  ])('a message that is %s is ignored', async (_name, line) => {
    const { write, say, toTheEnd } = converse();
    write(`${line}\n`);
    say({ id: 2, method: 'ping' });
    expect(await toTheEnd()).toMatchObject([{ id: 2, result: {} }]);
  });

  test.each([
    ['resources/list', {}, -32_601],
    ['tools/call', {}, -32_602],
    ['tools/call', { name: 'echo', arguments: [] }, -32_602],
  ])('the request %s with %j is rejected', async (method, params, code) => {
    const { say, toTheEnd } = converse();
    say({ id: 1, method, params });
    expect(await toTheEnd()).toMatchObject([{ id: 1, error: { code } }]);
  });

  test('a message over the limit ends the connection', async () => {
    const { write, said, ended } = converse();
    write(`"${'x'.repeat(20_000)}`);
    await ended;
    expect(said).toEqual([]);
  });
});

test('internal error messages are hidden, and an unknown tool is named', async () => {
  const { say, toTheEnd } = converse({
    call: async (name) => {
      throw name === 'echo' ? new Error('secret') : new UnknownToolError('x');
    },
  });
  say({ id: 1, method: 'tools/call', params: { name: 'echo' } });
  say({ id: 2, method: 'tools/call', params: { name: 'x' } });
  expect(await toTheEnd()).toMatchObject([
    { id: 1, error: { code: -32_603, message: 'The tool failed.' } },
    { id: 2, error: { code: -32_602, message: 'There is no tool x.' } },
  ]);
});

describe('calls', () => {
  function held() {
    const started: string[] = [];
    const release = new Map<string, () => void>();
    const ongoing = new Map<string, OngoingCall>();
    const call: ToolServer['call'] = async (name, _input, call) => {
      started.push(name);
      ongoing.set(name, call);
      await new Promise<void>((resolve, reject) => {
        release.set(name, resolve);
        call.signal.addEventListener('abort', () => reject(new Error('Aborted.')));
      });
      return { texts: [name] };
    };
    return { started, release, ongoing, call };
  }

  test('calls run concurrently up to the limit, and others wait in order', async () => {
    const { started, release, call } = held();
    const { said, say, answer } = converse({ call }, { callsAtOnce: 2 });
    for (const name of ['a', 'b', 'c', 'd']) say({ id: name, method: 'tools/call', params: { name } });
    await expect.poll(() => started).toEqual(['a', 'b']);
    release.get('b')?.();
    await expect.poll(() => started).toEqual(['a', 'b', 'c']);
    await answer('b');
    release.get('a')?.();
    await expect.poll(() => started).toEqual(['a', 'b', 'c', 'd']);
    expect(said.map(({ id }) => id)).toEqual(['b', 'a']);
  });

  test('calls beyond the limit are rejected', async () => {
    const { call } = held();
    const { said, say } = converse({ call }, { calls: 1 });
    say({ id: 1, method: 'tools/call', params: { name: 'a' } });
    say({ id: 2, method: 'tools/call', params: { name: 'b' } });
    await expect
      .poll(() => said)
      .toMatchObject([{ id: 2, error: { message: expect.stringContaining('Too many calls') as string } }]);
  });

  test('progress is reported to a client with a token and never decreases', async () => {
    const { ongoing, release, call } = held();
    const { said, say, answer } = converse({ call });
    say({ id: 1, method: 'tools/call', params: { name: 'a', _meta: { progressToken: 't' } } });
    say({ id: 2, method: 'tools/call', params: { name: 'b' } });
    await expect.poll(() => ongoing.size).toBe(2);
    for (const name of ['a', 'b']) {
      const { report } = ongoing.get(name) ?? expect.fail();
      for (const done of [10, 10, 5, 50]) report({ done, total: 100, message: `At ${done}.` });
      release.get(name)?.();
    }
    await answer(2);
    ongoing.get('a')?.report({ done: 99, message: 'Too late.' });
    const reports = said.filter(({ method }) => method === 'notifications/progress');
    expect(reports.map(({ params }) => params)).toEqual([
      { progressToken: 't', progress: 10, total: 100, message: 'At 10.' },
      { progressToken: 't', progress: 50, total: 100, message: 'At 50.' },
    ]);
  });

  test('a canceled call is aborted and gets no answer', async () => {
    const { ongoing, call } = held();
    const { said, say, answer } = converse({ call });
    say({ id: 1, method: 'tools/call', params: { name: 'a' } });
    await expect.poll(() => ongoing.get('a')).toBeDefined();
    say({ method: 'notifications/cancelled', params: { requestId: 1, reason: 'Enough.' } });
    await expect.poll(() => ongoing.get('a')?.signal.aborted).toBe(true);
    say({ id: 2, method: 'ping' });
    await answer(2);
    expect(said.map(({ id }) => id)).toEqual([2]);
  });

  test('calls end when the client disconnects without waiting', async () => {
    const { ongoing, call } = held();
    const { say, hangUp, ended, said } = converse({ call });
    say({ id: 1, method: 'tools/call', params: { name: 'a' } });
    await expect.poll(() => ongoing.get('a')).toBeDefined();
    hangUp();
    await ended;
    expect(ongoing.get('a')?.signal.aborted).toBe(true);
    expect(said).toEqual([]);
  });

  test('calls end when the output is closed', async () => {
    const { ongoing, call } = held();
    const { say, output, ended } = converse({ call });
    say({ id: 1, method: 'tools/call', params: { name: 'a' } });
    await expect.poll(() => ongoing.get('a')).toBeDefined();
    output.destroy();
    await ended;
    expect(ongoing.get('a')?.signal.aborted).toBe(true);
  });
});

test('input is paused while the client does not read answers', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const calls: string[] = [];
  const call: ToolServer['call'] = async (name) => {
    calls.push(name);
    return { texts: ['x'.repeat(100_000)] };
  };
  const ended = serveTools({ input, output }, { version: '1', tools: [echo], call });
  for (let id = 0; id < 50; id += 1) {
    input.write(
      `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo' } })}\n`,
    );
    await new Promise(setImmediate);
  }
  expect(calls.length).toBeLessThan(10);
  output.resume();
  input.end();
  await ended;
  expect(calls).toHaveLength(50);
});

test('a connection over its byte limit is closed', async () => {
  const { write, ended } = converse({}, { bytes: 5000 });
  write(`${' '.repeat(6000)}\n`);
  await ended;
});

test('the last line needs no line break, and a line may arrive in parts', async () => {
  const { write, toTheEnd } = converse();
  for (const piece of [
    '{"jsonrpc":"2.0",',
    '"id":1,"meth',
    'od":"ping"}\n{"jsonrpc":"2.0","id":2,',
    '"method":"ping"}',
  ])
    write(piece);
  expect(await toTheEnd()).toMatchObject([{ id: 1 }, { id: 2 }]);
});
