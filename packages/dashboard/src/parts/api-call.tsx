/** Shows the API call of a screen for curl, the client and the CLI. */
import { operationRoutes, type CallableId } from '@docyard/api';
import { CodeTabs } from './code-tabs.tsx';
import { Disclosure } from './disclosure.tsx';

export interface ApiCallProps {
  operation: CallableId;
  params?: Record<string, string>;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  command?: string;
}

export function ApiCall(props: ApiCallProps & { open?: boolean }) {
  const forms = [
    ['curl', curlOf(props)],
    ['Client', clientOf(props)],
    ...(props.command === undefined ? [] : [['Command', props.command]]),
  ] as [name: string, text: string][];
  return (
    <div className="api-call">
      <Disclosure icon="code" label="The same as an API call" defaultOpen={props.open ?? false}>
        <CodeTabs label="Form of the call" forms={forms} labelOf={(name) => `${name} call`} />
      </Disclosure>
    </div>
  );
}

export function curlOf({ operation: id, params, query, body }: ApiCallProps): string {
  const { method, path } = operationRoutes[id];
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params?.[name] ?? ''));
  const search = new URLSearchParams(
    Object.entries(query ?? {}).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  ).toString();
  const address = `${globalThis.location.origin}${filled}${search === '' ? '' : `?${search}`}`;
  const verb = method === 'get' ? '' : ` -X ${method.toUpperCase()}`;
  const lines = [`curl${verb} ${quoted(address)}`, `-H "Authorization: Bearer $DOCYARD_API_KEY"`];
  if (body !== undefined)
    lines.push(`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`);
  return lines.join(' \\\n  ');
}

function clientOf({ operation: id, params, query, body }: ApiCallProps): string {
  const parts = { params, query, body };
  const given = Object.entries(parts).filter(([, value]) => value !== undefined);
  const input = given.length === 0 ? '' : `, ${JSON.stringify(Object.fromEntries(given), null, 2)}`;
  return `await client.call('${id}'${input});`;
}

/** Quotes for a POSIX shell. */
export function quoted(text: string): string {
  return /^[\w./:@=?&%-]+$/.test(text) && !/[?&]/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
