/**
 * What is said in the Model Context Protocol: how a message is read, which revisions are spoken, and the errors of the
 * protocol itself. Clients before 2026-07-28 greet first; later ones say with each request which revision they speak.
 */
import { z } from 'zod';

/** The newest first. */
const spokenVersions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
const [statelessVersion, ...greetingVersions] = spokenVersions;

const versionKey = 'io.modelcontextprotocol/protocolVersion';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
export const serverInfoKey = 'io.modelcontextprotocol/serverInfo';

export type MessageId = z.infer<typeof MessageId>;
const MessageId = z.union([z.string().max(200), z.int()]);

export type Message = z.infer<typeof Message>;
const Message = z.object({
  jsonrpc: z.literal('2.0'),
  /** Whatever has none is a notification, which nobody waits for. */
  id: MessageId.optional(),
  method: z.string().max(200),
  params: z.record(z.string(), z.unknown()).optional(),
});

/** Of the client, to a question; we never ask one. */
const Answer = z.object({ jsonrpc: z.literal('2.0'), method: z.never().optional(), id: MessageId });

const protocolErrors = {
  unreadable: -32_700,
  invalidRequest: -32_600,
  noSuchMethod: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  unspokenVersion: -32_022,
} as const;

export class ProtocolError extends Error {
  readonly code: number;
  readonly data: object | undefined;
  /** Of the message that could not be read. */
  readonly id: MessageId | undefined;

  constructor(
    kind: keyof typeof protocolErrors,
    message: string,
    { data, id }: { data?: object; id?: MessageId | undefined } = {},
  ) {
    super(message);
    this.code = protocolErrors[kind];
    this.data = data;
    this.id = id;
  }
}

/** Undefined for a line that needs no attention. */
export function messageIn(line: string): Message | undefined {
  if (line.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new ProtocolError('unreadable', 'This line is no JSON.');
  }
  const message = Message.safeParse(value);
  if (message.success) return message.data;
  if (Answer.safeParse(value).success) return undefined;
  const id = z.object({ id: MessageId }).safeParse(value).data?.id;
  throw new ProtocolError('invalidRequest', 'This is no message of JSON-RPC 2.0.', { id });
}

export interface Manner {
  /** Nothing is remembered from one request to the next, and results say what they are. */
  stateless: boolean;
  progressToken: MessageId | undefined;
}

export function mannerOf({ method, params }: Message): Manner {
  const meta = Meta.safeParse(params?.['_meta']).data ?? {};
  const progressToken = MessageId.safeParse(meta['progressToken']).data;
  const version = meta[versionKey];
  if (version === undefined && method !== 'server/discover') return { stateless: false, progressToken };
  if (typeof version !== 'string') throw missing(versionKey);
  if (!spokenVersions.some((spoken) => spoken === version)) {
    const requested = version.slice(0, 100);
    const message = `Version ${requested} of the protocol is not spoken here.`;
    throw new ProtocolError('unspokenVersion', message, { data: { supported: spokenVersions, requested } });
  }
  if (!Meta.safeParse(meta[capabilitiesKey]).success) throw missing(capabilitiesKey);
  return { stateless: version === statelessVersion, progressToken };
}

const Meta = z.record(z.string(), z.unknown());

function missing(key: string): ProtocolError {
  return new ProtocolError('invalidParams', `The field ${key} of _meta is missing or not valid.`);
}

export const versionsSpoken: readonly string[] = spokenVersions;

/** For a client that greets: what it asked for, or the newest that greets. */
export function greetedVersion(asked: unknown): string {
  return greetingVersions.find((version) => version === asked) ?? greetingVersions[0];
}

/** The request that a client no longer waits for. */
export function cancelledId({ params }: Message): MessageId | undefined {
  return MessageId.safeParse(params?.['requestId']).data;
}

export function namedCall({ params }: Message): { name: string; input: object } {
  const call = NamedCall.safeParse(params);
  if (!call.success)
    throw new ProtocolError('invalidParams', 'A call needs a name and an object of arguments.');
  return { name: call.data.name, input: call.data.arguments ?? {} };
}

const NamedCall = z.object({
  name: z.string().min(1).max(200),
  arguments: z.record(z.string(), z.unknown()).optional(),
});
