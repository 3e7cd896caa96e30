/** Optional settings of a model endpoint, the same for a project and for the installation. */
import * as z from 'zod';

/** Set by the HTTP client, or valid for one connection only. */
const reservedHeaders = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const headerName = z
  .string()
  .max(100)
  .regex(/^[\w!#$%&'*+.^`|~-]+$/, 'This is not the name of a header.')
  .refine((name) => !reservedHeaders.has(name.toLowerCase()), 'This header cannot be set.');

const headerValue = z
  .string()
  .min(1)
  .max(8192)
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, 'A value consists of printable ASCII characters.');

export const ModelHeaders = z
  .record(headerName, headerValue)
  .refine((headers) => Object.keys(headers).length <= 20, 'At most 20 headers are allowed.');

/** The conversation, its limits, and tools that the endpoint would run. */
const reservedFields = new Set([
  'background',
  'cachedContent',
  'contents',
  'conversation',
  'functions',
  'input',
  'instructions',
  'max_completion_tokens',
  'max_output_tokens',
  'max_tokens',
  'mcp_servers',
  'messages',
  'model',
  'n',
  'plugins',
  'previous_response_id',
  'prompt',
  'store',
  'stream',
  'stream_options',
  'system',
  'systemInstruction',
  'tools',
  'web_search_options',
]);
const maxBodyCharacters = 10_000;

const ModelBody = z
  .record(
    z
      .string()
      .min(1)
      .max(100)
      .refine((name) => !reservedFields.has(name), 'Docyard sets this field, or does not allow it.'),
    z.unknown(),
  )
  .refine((body) => JSON.stringify(body).length <= maxBodyCharacters, 'The fields are too long.');

export const modelOptions = {
  contextTokens: z
    .int()
    .min(1024)
    .max(100_000_000)
    .optional()
    .describe('Context of the model in tokens: the conversation and the answer together.'),
  maxOutputTokens: z
    .int()
    .min(256)
    .max(10_000_000)
    .optional()
    .describe('Maximum length of one answer in tokens.'),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .optional()
    .describe('Randomness of the answers. Default: that of the endpoint.'),
  firstByteSeconds: z
    .int()
    .min(1)
    .max(3600)
    .optional()
    .describe('Maximum time until an answer begins. Default: 600.'),
  idleSeconds: z
    .int()
    .min(1)
    .max(3600)
    .optional()
    .describe('Maximum time between two parts of an answer. Default: 60.'),
  body: ModelBody.optional().describe(
    'Extra fields of each request. They cannot replace the conversation, the tools, the model or the limits.',
  ),
};

const ModelOptions = z.object(modelOptions);
export type ModelOptions = z.infer<typeof ModelOptions>;
