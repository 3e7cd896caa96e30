/**
 * Turns a thrown error into a response: a Problem with its status, anything else as `internal` with details only in
 * the log.
 */
import { errorTable, type ErrorBody, type ProblemBody } from '@docyard/api';
import type { Logger } from 'pino';
import { acceptedTypes } from './accepted-types.ts';
import { Problem } from '../problem.ts';
import { loggedPath, operationOf } from './request-telemetry.ts';
import type { Web } from './request.ts';

export function respondWithError(web: Web, error: unknown, log: Logger): Response {
  const problem = error instanceof Problem ? error : internal(error, web, log);
  const { status } = problem;
  web.set('problem', problem.code);
  for (const [name, value] of Object.entries(problem.headers)) web.header(name, value);
  if (status === 401) web.header('www-authenticate', 'Bearer');
  const requestId = web.get('requestId');
  const body = wantsProblemJson(web) ? asProblemJson(problem, requestId) : asErrorBody(problem, requestId);
  const type = wantsProblemJson(web) ? 'application/problem+json' : 'application/json';
  return web.body(JSON.stringify(body), status as 400, { 'content-type': type });
}

function internal(error: unknown, web: Web, log: Logger): Problem {
  const requestId = web.get('requestId');
  log.error(
    {
      err: error,
      requestId,
      method: web.req.method,
      path: loggedPath(web),
      operation: operationOf(web),
      keyId: web.get('caller')?.key?.id,
      organizationId: web.get('caller')?.organizationId,
    },
    'request failed',
  );
  return new Problem('internal', `Internal error. Report request ${requestId} to the operator.`);
}

function wantsProblemJson(web: Web): boolean {
  return acceptedTypes(web.req.header('accept')).includes('application/problem+json');
}

function asErrorBody(problem: Problem, requestId: string): ErrorBody {
  return {
    error: problem.message,
    code: problem.code,
    requestId,
    ...(problem.details === undefined ? {} : { details: problem.details }),
  };
}

function asProblemJson(problem: Problem, requestId: string): ProblemBody {
  return {
    type: `/docs/reference/errors.html#${problem.code}`,
    title: errorTable[problem.code].title,
    status: problem.status,
    detail: problem.message,
    code: problem.code,
    requestId,
    ...(problem.details === undefined ? {} : { errors: problem.details }),
  };
}
