import { describe, expectTypeOf, it } from 'vitest';
import type { CallableId, CallOptions, DocyardClient, DocyardError, ListId } from './client.ts';
import type { ErrorCode } from './errors.ts';
import type { OperationId, OperationInput, OperationResult, ParsedInput } from './routes.ts';
import type {
  AgentJob,
  Bundle,
  CreateBundle,
  CreatedKey,
  ExportJob,
  Me,
  Project,
  StartExport,
} from './schemas.ts';

/** Never called; only compiled. */
function calls(client: DocyardClient) {
  return {
    bare: () => client.call('readMe'),
    bareWithOptions: () => client.call('readMe', {}, { headers: { 'x-request-id': '1' } }),
    params: () => client.call('readExport', { params: { jobId: 'se_1' } }),
    twoParams: () => client.call('readAgentJob', { params: { projectId: 'pr_1', id: 'aj_1' } }),
    body: () => client.call('startExport', { body: { domain: 'docs.example.com' } }),
    paramsAndBody: () =>
      client.call('updateProject', { params: { projectId: 'pr_1' }, body: { name: 'Docs' } }),
    omittedBody: () => client.call('createBundle', { params: { jobId: 'se_1' } }),
    undefinedBody: () => client.call('createBundle', { params: { jobId: 'se_1' }, body: undefined }),
    optionalBody: () => client.call('rollKey', { params: { keyId: 'key_1' }, body: { overlapSeconds: 0 } }),
    noQuery: () => client.call('listProjects'),
    emptyQuery: () => client.call('listProjects', { query: {} }),
    query: () => client.call('listExports', { query: { status: 'failed', limit: 5 } }),
    neededQuery: () => client.answer('openLatestBundle', { query: { domain: 'docs.example.com' } }),
    empty: () => client.call('deleteExport', { params: { jobId: 'se_1' } }),
    wrong: () => [
      // @ts-expect-error: the operation does not exist
      client.call('explode'),
      // @ts-expect-error: a stream of events has no single answer
      client.call('followExport', { params: { jobId: 'se_1' } }),
      // @ts-expect-error: params are needed
      client.call('readExport'),
      // @ts-expect-error: the parameter has another name
      client.call('readExport', { params: { id: 'se_1' } }),
      // @ts-expect-error: params are needed, the body alone may be left out
      client.call('createBundle', {}),
      // @ts-expect-error: the body is needed even though each of its fields may be left out
      client.call('updateProject', { params: { projectId: 'pr_1' } }),
      // @ts-expect-error: the domain is needed
      client.call('startExport', { body: {} }),
      // @ts-expect-error: the field does not exist
      client.call('startExport', { body: { domain: 'docs.example.com', color: 'red' } }),
      // @ts-expect-error: this operation has no body
      client.call('cancelExport', { params: { jobId: 'se_1' }, body: {} }),
      // @ts-expect-error: this operation takes nothing
      client.call('readMe', { query: {} }),
      // @ts-expect-error: the status does not exist
      client.call('listExports', { query: { status: 'canceled' } }),
      // @ts-expect-error: a limit is a number
      client.call('listProjects', { query: { limit: {} } }),
      // @ts-expect-error: the query is needed
      client.call('openLatestBundle'),
    ],
  };
}

/** Never called; only compiled. */
function lists(client: DocyardClient) {
  return {
    exports: () => client.each('listExports', { query: { status: 'failed' } }),
    agentJobs: () => client.each('listAgentJobs', { params: { projectId: 'pr_1' } }),
    projects: () => client.each('listProjects'),
    // @ts-expect-error: this operation answers with one record
    wrong: () => client.each('readMe'),
  };
}

type Lists = ReturnType<typeof lists>;
type ItemOf<K extends keyof Lists> = ReturnType<Lists[K]> extends AsyncGenerator<infer Item> ? Item : never;

type Calls = ReturnType<typeof calls>;
type Result<K extends Exclude<keyof Calls, 'wrong'>> = Awaited<ReturnType<Calls[K]>>;

describe('client.call', () => {
  it('client.call returns the record of the operation', () => {
    expectTypeOf<Result<'bare'>>().toEqualTypeOf<Me>();
    expectTypeOf<Result<'bareWithOptions'>>().toEqualTypeOf<Me>();
    expectTypeOf<Result<'params'>>().toEqualTypeOf<ExportJob>();
    expectTypeOf<Result<'twoParams'>>().toEqualTypeOf<AgentJob>();
    expectTypeOf<Result<'body'>>().toEqualTypeOf<ExportJob>();
    expectTypeOf<Result<'paramsAndBody'>>().toEqualTypeOf<Project>();
    expectTypeOf<Result<'omittedBody'>>().toEqualTypeOf<Bundle>();
    expectTypeOf<Result<'undefinedBody'>>().toEqualTypeOf<Bundle>();
    expectTypeOf<Result<'optionalBody'>>().toEqualTypeOf<CreatedKey>();
    expectTypeOf<Result<'noQuery'>>().toEqualTypeOf<{ data: Project[]; nextCursor: string | null }>();
    expectTypeOf<Result<'emptyQuery'>>().toEqualTypeOf<Result<'noQuery'>>();
    expectTypeOf<Result<'query'>>().toEqualTypeOf<{ data: ExportJob[]; nextCursor: string | null }>();
  });

  it('client.call returns nothing for a response without a body', () => {
    expectTypeOf<Result<'empty'>>().toEqualTypeOf<undefined>();
    expectTypeOf<Result<'neededQuery'>['body']>().toEqualTypeOf<undefined>();
    expectTypeOf<Result<'neededQuery'>['headers']>().toEqualTypeOf<Headers>();
  });

  it('client.call accepts every operation except event streams and files', () => {
    expectTypeOf<Exclude<OperationId, CallableId>>().toEqualTypeOf<
      'followExport' | 'followExports' | 'followAgentJobs' | 'exportAuditLog' | 'exportAnalytics'
    >();
  });

  it('client.call takes the options last', () => {
    expectTypeOf<CallOptions>().toEqualTypeOf<{
      signal?: AbortSignal;
      headers?: Record<string, string>;
      idempotencyKey?: string;
    }>();
  });
});

describe('client.each', () => {
  it('client.each yields the items of a list', () => {
    expectTypeOf<ItemOf<'exports'>>().toEqualTypeOf<ExportJob>();
    expectTypeOf<ItemOf<'agentJobs'>>().toEqualTypeOf<AgentJob>();
    expectTypeOf<ItemOf<'projects'>>().toEqualTypeOf<Project>();
  });

  it('client.each accepts every list operation', () => {
    expectTypeOf<Extract<CallableId, `list${string}`>>().toExtend<ListId>();
    expectTypeOf<Exclude<ListId, `list${string}`>>().toEqualTypeOf<'readAgentTranscript'>();
  });
});

describe('the types of an operation', () => {
  it('the types of input before and after validation differ', () => {
    expectTypeOf<OperationInput<'startExport'>['body']>().toEqualTypeOf<StartExport>();
    expectTypeOf<OperationInput<'readMe'>>().toEqualTypeOf<{
      params: undefined;
      query: undefined;
      body: undefined;
    }>();
    expectTypeOf<NonNullable<OperationInput<'listExports'>['query']>['limit']>().toEqualTypeOf<
      number | undefined
    >();
    expectTypeOf<ParsedInput<'createBundle'>['body']>().toEqualTypeOf<CreateBundle | undefined>();
    expectTypeOf<ParsedInput<'startExport'>['body']>().toEqualTypeOf<StartExport>();
  });

  it('redirects, events and empty responses have no result', () => {
    expectTypeOf<OperationResult<'openBundle'>>().toEqualTypeOf<undefined>();
    expectTypeOf<OperationResult<'followExport'>>().toEqualTypeOf<undefined>();
    expectTypeOf<OperationResult<'deleteExport'>>().toEqualTypeOf<undefined>();
  });

  it('the codes of an error are a closed union', () => {
    expectTypeOf<DocyardError['code']>().toEqualTypeOf<ErrorCode | 'unknown'>();
  });
});
