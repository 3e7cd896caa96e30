import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { fixture } from '../../test/support/render-fixture.ts';
import { channelView } from './channel.ts';
import type { ChannelView } from './view.ts';
import type { SpecDocument } from '../model/site-plan.ts';

const harbour = parse(readFileSync(fixture('sites/everything/api/harbour.yaml'), 'utf8')) as SpecDocument;

function viewOf(name: string, document = harbour): ChannelView {
  const view = channelView(document, name);
  if (!view) throw new Error(`there is no channel ${name}`);
  return view;
}

describe('a channel', () => {
  const berth = viewOf('berth');

  it('has its address, texts and parameters', () => {
    expect(berth).toMatchObject({
      address: '/berths/{berthId}',
      description: expect.stringContaining('_busy_'),
    });
    expect(berth.parameters).toMatchObject([
      {
        name: 'berthId',
        required: true,
        schema: {
          description: 'The number on the pier.',
          default: '"a1"',
          enum: [{ value: '"a1"' }, { value: '"a2"' }],
          examples: ['"a2"'],
        },
      },
    ]);
  });

  it('has the servers it lists, otherwise all', () => {
    expect(berth.servers).toMatchObject([
      {
        name: 'live',
        url: 'wss://{region}.harbour.example/stream',
        protocol: 'wss',
        variables: [{ name: 'region', schema: { default: '"north"' } }],
        securityIds: ['key', 'userPassword'],
      },
    ]);
    expect(viewOf('answers').servers.map(({ url }) => url)).toEqual([
      'wss://{region}.harbour.example/stream',
      'kafka://bus.harbour.example:9092',
    ]);
  });

  it('shows the security schemes', () => {
    expect(berth.security).toMatchObject([
      { type: 'API key', parameter: 'harbour-key', place: 'query', description: 'Your **key**.' },
      { type: 'user name and password', parameter: 'userPassword', place: '' },
    ]);
    expect(berth.operations[1]?.security).toMatchObject([
      { type: 'OAuth 2.0', scopes: ['berths:write'], addresses: ['https://harbour.example/token'] },
    ]);
  });

  it("shows operations from the reader's side", () => {
    expect(berth.operations.map(({ name, action, title }) => [name, action, title])).toEqual([
      ['onArrival', 'receive', 'A ship arrives'],
      ['command', 'send', 'Order something at a berth'],
    ]);
    expect(berth.messages.map(({ name, roles }) => [name, roles])).toEqual([
      ['arrival', ['receive']],
      ['command', ['send']],
      ['weather', []],
      ['done', ['reply']],
    ]);
  });

  it('shows the reply address and its message', () => {
    expect(berth.operations[1]?.reply).toEqual({
      address: '$message.header#/replyTo',
      description: 'Chosen by the sender.',
      messages: ['done'],
    });
  });

  it('merges traits; its own values win', () => {
    const [operation] = berth.operations;
    expect(operation?.description).toBe('Sent when a ship is made fast.\n\nFrom a trait.');
    expect(operation?.notes.bindings).toMatchObject([
      {
        protocol: 'kafka',
        rows: [
          { name: 'clientId', value: 'second' },
          { name: 'groupId', value: 'berths' },
        ],
      },
      {
        protocol: 'amqp',
        rows: [
          { name: 'expiration', value: '100000' },
          { name: 'cc', value: '["user.logs"]' },
        ],
      },
    ]);
    const [arrival] = berth.messages;
    expect(arrival?.contentType).toBe('application/vnd.harbour+json');
    expect(arrival?.headers?.properties.map(({ name }) => name)).toEqual(['traceId', 'sentAt']);
  });

  it('shows bindings as settings and schemas, tags, links and extensions', () => {
    expect(berth.notes).toMatchObject({
      bindings: [
        {
          protocol: 'ws',
          rows: [{ name: 'method', value: 'GET' }],
          schemas: [
            { name: 'query', schema: { properties: [{ name: 'since' }] } },
            { name: 'headers', schema: { properties: [{ name: 'X-Trace' }] } },
          ],
        },
      ],
      tags: [{ name: 'ships', description: 'All that floats' }, { name: 'berths' }],
      externalDocs: { url: 'https://harbour.example/berths' },
      extensions: [{ name: 'x-owner', value: 'dock team' }],
    });
  });
});

describe('a message', () => {
  const [arrival, command, weather] = viewOf('berth').messages;

  it('has examples as given, with headers', () => {
    expect(arrival?.examples).toMatchObject([
      { title: 'A ferry', headers: expect.stringContaining('t-1'), payload: { language: 'json' } },
      { title: 'second', payload: { text: '{\n  "name": "Borealis"\n}' } },
    ]);
  });

  it('has an example generated from its payload when none is given', () => {
    expect(command?.examples).toMatchObject([{ payload: { text: '{\n  "do": "moor"\n}' } }]);
  });

  it('keeps payloads that are not JSON Schema as source', () => {
    expect(weather).toMatchObject({
      payloadSource: { format: expect.stringContaining('avro'), language: 'json' },
      examples: [],
    });
    expect(weather?.payload).toBeUndefined();
  });

  it('is found through referenced channels and multi-format schemas', () => {
    const moved = viewOf('moved');
    expect(moved.operations).toMatchObject([{ action: 'receive', messages: ['moved'] }]);
    expect(moved.messages[0]?.payload?.properties.map(({ name }) => name)).toEqual(['to']);
    expect(moved.messages[0]?.notes.bindings.map(({ protocol }) => protocol)).toEqual([
      'kafka',
      'mqtt',
      'http',
    ]);
  });

  it('with a recursive payload is truncated', () => {
    const ship = arrival?.payload;
    expect(ship?.properties.at(-1)).toMatchObject({ name: 'tows', schema: { sameAs: 'Ship' } });
    expect(arrival?.correlationId?.location).toBe('$message.header#/traceId');
  });
});

describe('an invalid document', () => {
  it('has no view of missing channels', () => {
    expect(channelView({}, 'a')).toBeUndefined();
    expect(channelView({ channels: { a: 'x' } }, 'a')).toBeUndefined();
    expect(channelView({ channels: {} }, '__proto__')).toBeUndefined();
    expect(channelView({ channels: { a: { $ref: '#/channels/a' } } }, 'a')).toBeUndefined();
  });

  it('never throws', () => {
    const keys =
      'channels servers operations messages payload schema traits bindings reply security tags $ref type x-a a'.split(
        ' ',
      );
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<unknown>(null, 1, 'a', '#/channels/a', '#/channels/a/messages/a', '#', 'object', []),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys), tie('tree'), { maxKeys: 6 }),
      ),
    }));
    fc.assert(
      fc.property(tree, tree, tree, (channel, operation, server) => {
        const own = { channel: { $ref: '#/channels/a' }, ...(operation as object) };
        channelView({ channels: { a: channel }, operations: { a: own }, servers: { a: server } }, 'a');
      }),
      { numRuns: 300, seed: 7 },
    );
  });

  it('yields a bounded view when it repeats itself', () => {
    const node = {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 40 }, (_, index) => [`p${index}`, { $ref: `#/components/schemas/n${index}` }]),
      ),
    };
    const schemas = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`n${index}`, node]));
    const messages = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [
        `m${index}`,
        { payload: { $ref: `#/components/schemas/n${index % 40}` } },
      ]),
    );
    const view = viewOf('a', { channels: { a: { messages } }, components: { schemas } });
    expect(view.messages).toHaveLength(50);
    expect(JSON.stringify(view).length).toBeLessThan(5_000_000);
  });
});
