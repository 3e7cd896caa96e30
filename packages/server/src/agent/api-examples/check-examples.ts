/** Compares the requests and responses that pages show with the API descriptions of the site. */
import type { FoundProblem } from '../site-check.ts';
import { codeFences } from './code-fences.ts';
import { curlRequests } from './curl-command.ts';
import {
  describeApi,
  listIn,
  matchRequest,
  objectIn,
  resolve,
  type DescribedApi,
  type Json,
  type Match,
  type Operation,
} from './described-api.ts';
import type { ExampleBody, ExampleMessage, ExampleRequest, ExampleResponse } from './example-message.ts';
import { exampleFinding } from './finding.ts';
import { httpMessages } from './http-message.ts';
import { schemaProblem, type SchemaDirection } from './schema-problem.ts';

const maxFindings = 200;
const shells = new Set(['bash', 'sh', 'shell', 'zsh', 'console', 'curl']);

export interface ExamplePage {
  file: string;
  source: string;
}

export function checkExamples(pages: Iterable<ExamplePage>, documents: readonly Json[]): FoundProblem[] {
  const apis = documents.map(describeApi);
  const found: FoundProblem[] = [];
  for (const { file, source } of apis.length === 0 ? [] : pages) {
    let last: Operation | undefined;
    for (const { language, line, code } of codeFences(source)) {
      for (const message of messagesIn(language, code)) {
        const { problems, operation } = judge(message, apis, last);
        last = operation;
        found.push(...problems.map((text) => findingOf(file, line, text)));
      }
    }
    if (found.length > maxFindings) break;
  }
  return found.slice(0, maxFindings);
}

function messagesIn(language: string, code: string): ExampleMessage[] {
  if (shells.has(language)) return curlRequests(code);
  return language === 'http' ? httpMessages(code) : [];
}

interface Judged {
  problems: string[];
  /** What a following response belongs to. */
  operation: Operation | undefined;
}

function judge(message: ExampleMessage, apis: readonly DescribedApi[], last: Operation | undefined): Judged {
  if (message.kind === 'response')
    return { operation: last, problems: last === undefined ? [] : responseProblems(last, message) };
  const matches = apis.map((api) => matchRequest(api, message.method, message.url));
  const match = matches.find((one) => one !== undefined && 'operation' in one) ?? matches.find(isProblem);
  if (match === undefined) return { operation: undefined, problems: [] };
  if ('problem' in match) return { operation: undefined, problems: [match.problem] };
  const { operation, query } = match;
  const problems = [...queryProblems(operation, query), ...requestProblems(operation, message)];
  return { operation, problems };
}

function isProblem(match: Match): boolean {
  return match !== undefined && 'problem' in match;
}

function queryProblems(
  { document, method, path, pathItem, operation }: Operation,
  query: string[],
): string[] {
  const parameters = [...listIn(pathItem['parameters']), ...listIn(operation['parameters'])].map(
    (parameter) => objectIn(resolve(document, parameter)),
  );
  const ofQuery = parameters.filter((parameter) => parameter['in'] === 'query');
  // The properties of an object can be parameters too.
  const isOpen = ofQuery.some(({ schema }) => objectIn(resolve(document, schema))['type'] === 'object');
  const names = new Set(
    ofQuery.map(({ name }) => (typeof name === 'string' ? name.replace(/\[.*$/s, '') : '')),
  );
  const unknown = isOpen ? [] : query.filter((name) => !names.has(name));
  return unknown.map((name) => `${method} ${path} has no query parameter ${name}.`);
}

function requestProblems(place: Operation, { body }: ExampleRequest): string[] {
  const { document, method, path, operation } = place;
  if (body === undefined) return [];
  const described = resolve(document, operation['requestBody']);
  if (described === undefined) return [`${method} ${path} has no request body.`];
  return bodyProblems(`The request body of ${method} ${path}`, place, described, {
    body,
    direction: 'request',
  });
}

function responseProblems(place: Operation, { status, body }: ExampleResponse): string[] {
  const { document, method, path, operation } = place;
  const responses = objectIn(operation['responses']);
  const described = responses[status] ?? responses[`${status[0]}XX`] ?? responses['default'];
  if (described === undefined) return [`${method} ${path} has no response ${status}.`];
  if (body === undefined) return [];
  const name = `The response ${status} of ${method} ${path}`;
  return bodyProblems(name, place, resolve(document, described), { body, direction: 'response' });
}

function bodyProblems(
  name: string,
  { document }: Operation,
  described: unknown,
  { body, direction }: { body: ExampleBody; direction: SchemaDirection },
): string[] {
  if ('problem' in body) return [`${name} is not valid JSON: ${body.problem}.`];
  const content = Object.entries(objectIn(objectIn(described)['content']));
  const [, media] = content.find(([type]) => /^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) ?? [];
  const { schema } = objectIn(media);
  if (schema === undefined) return [];
  const problem = schemaProblem(document, schema, { value: body.value, direction });
  return problem === undefined ? [] : [`${name} does not match the API description: ${problem}.`];
}

function findingOf(file: string, line: number, message: string): FoundProblem {
  const hint = 'Compare the example with the API description.';
  return { severity: 'warning', code: exampleFinding, message: message.slice(0, 1000), file, line, hint };
}
