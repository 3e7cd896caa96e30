/** Request samples in scripting languages. Each function returns a complete program. */
import type { SampleRequest } from './request.ts';
import {
  JAVASCRIPT,
  PHP,
  PYTHON,
  indented,
  literal,
  powershellQuoted,
  shellQuoted,
  singleQuoted,
} from './samples-literals.ts';

const FILE = 'path/to/file';

export function curl({ method, url, headers, body }: SampleRequest): string {
  const parts = [`curl --request ${method}`, `--url ${shellQuoted(url)}`];
  for (const [name, value] of headers) parts.push(`--header ${shellQuoted(`${name}: ${value}`)}`);
  if (body?.kind === 'json' || body?.kind === 'text') parts.push(`--data ${shellQuoted(body.text)}`);
  if (body?.kind === 'file') parts.push(`--data-binary ${shellQuoted(`@${FILE}`)}`);
  if (body?.kind === 'form') {
    for (const { name, initial } of body.fields)
      parts.push(`--data-urlencode ${shellQuoted(`${name}=${initial}`)}`);
  }
  if (body?.kind === 'multipart') {
    // `--form-string` prevents a value that starts with `@` from being read as a file name.
    for (const { name, initial, isFile } of body.fields)
      parts.push(
        isFile
          ? `--form ${shellQuoted(`${name}=@${FILE}`)}`
          : `--form-string ${shellQuoted(`${name}=${initial}`)}`,
      );
  }
  return parts.join(' \\\n  ');
}

export function python({ method, url, headers, body, answersJson }: SampleRequest): string {
  const lines = ['import requests', '', `url = ${literal(url, PYTHON)}`];
  const passed = ['url'];
  if (headers.length > 0) lines.push(`headers = ${literal(Object.fromEntries(headers), PYTHON)}`);
  if (body?.kind === 'json') {
    lines.push(`payload = ${literal(body.value, PYTHON)}`);
    passed.push('json=payload');
  } else if (body?.kind === 'form') {
    lines.push(`payload = ${literal(fieldsOf(body.fields), PYTHON)}`);
    passed.push('data=payload');
  } else if (body?.kind === 'text') {
    lines.push(`payload = ${literal(body.text, PYTHON)}`);
    passed.push('data=payload.encode("utf-8")');
  } else if (body?.kind === 'file') {
    lines.push(`payload = open("${FILE}", "rb")`);
    passed.push('data=payload');
  } else if (body?.kind === 'multipart') {
    const files = body.fields.filter(({ isFile }) => isFile);
    lines.push(`payload = ${literal(fieldsOf(body.fields.filter(({ isFile }) => !isFile)), PYTHON)}`);
    const opened = files.map(({ name }) => `    ${literal(name, PYTHON)}: open("${FILE}", "rb")`);
    lines.push(`files = {${opened.length > 0 ? `\n${opened.join(',\n')}\n` : ''}}`);
    passed.push('data=payload', 'files=files');
  }
  if (headers.length > 0) passed.push('headers=headers');
  const known = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'].includes(method);
  const call = known
    ? `requests.${method.toLowerCase()}(${passed.join(', ')})`
    : `requests.request("${method}", ${passed.join(', ')})`;
  lines.push('', `response = ${call}`, '', `print(response.${answersJson ? 'json()' : 'text'})`);
  return lines.join('\n');
}

export function javascript({ method, url, headers, body, answersJson }: SampleRequest): string {
  const text = (value: string) => literal(value, JAVASCRIPT);
  const before: string[] = [];
  const options = [`method: ${text(method)}`];
  if (headers.length > 0) options.push(`headers: ${literal(Object.fromEntries(headers), JAVASCRIPT, '  ')}`);
  if (body?.kind === 'json') options.push(`body: JSON.stringify(${literal(body.value, JAVASCRIPT, '  ')})`);
  if (body?.kind === 'text') options.push(`body: ${text(body.text)}`);
  if (body?.kind === 'form')
    options.push(`body: new URLSearchParams(${literal(fieldsOf(body.fields), JAVASCRIPT, '  ')})`);
  if (body?.kind === 'file') options.push('body: file');
  if (body?.kind === 'multipart') {
    before.push('const form = new FormData();');
    for (const { name, initial, isFile } of body.fields)
      before.push(`form.append(${text(name)}, ${isFile ? 'file' : text(initial)});`);
    before.push('');
    options.push('body: form');
  }
  return [
    ...before,
    `const response = await fetch(${text(url)}, {`,
    `  ${options.join(',\n  ')}`,
    '});',
    '',
    `console.log(await response.${answersJson ? 'json' : 'text'}());`,
  ].join('\n');
}

export function php({ method, url, headers, body }: SampleRequest): string {
  const options = [
    `CURLOPT_URL => ${singleQuoted(url)}`,
    'CURLOPT_RETURNTRANSFER => true',
    `CURLOPT_CUSTOMREQUEST => ${singleQuoted(method)}`,
  ];
  if (headers.length > 0) {
    options.push(
      `CURLOPT_HTTPHEADER => ${literal(
        headers.map(([name, value]) => `${name}: ${value}`),
        PHP,
        '  ',
      )}`,
    );
  }
  if (body?.kind === 'json')
    options.push(`CURLOPT_POSTFIELDS => json_encode(${literal(body.value, PHP, '  ')})`);
  if (body?.kind === 'text') options.push(`CURLOPT_POSTFIELDS => ${singleQuoted(body.text)}`);
  if (body?.kind === 'file') options.push(`CURLOPT_POSTFIELDS => file_get_contents('${FILE}')`);
  if (body?.kind === 'form')
    options.push(
      `CURLOPT_POSTFIELDS => http_build_query(${literal(fieldsOf(body.fields), { ...PHP, emptyMap: '[]' }, '  ')})`,
    );
  if (body?.kind === 'multipart') {
    const fields = body.fields.map(
      ({ name, initial, isFile }) =>
        `    ${singleQuoted(name)} => ${isFile ? `new CURLFile('${FILE}')` : singleQuoted(initial)}`,
    );
    options.push(`CURLOPT_POSTFIELDS => [\n${fields.join(',\n')}\n  ]`);
  }
  return [
    '<?php',
    '',
    '$curl = curl_init();',
    '',
    'curl_setopt_array($curl, [',
    `  ${options.join(',\n  ')},`,
    ']);',
    '',
    'echo curl_exec($curl);',
  ].join('\n');
}

export function ruby({ method, url, headers, body }: SampleRequest): string {
  const kind = method.slice(0, 1) + method.slice(1).toLowerCase();
  const lines = [
    "require 'net/http'",
    '',
    `uri = URI(${singleQuoted(url)})`,
    `request = Net::HTTP::${kind}.new(uri)`,
  ];
  for (const [name, value] of headers) lines.push(`request[${singleQuoted(name)}] = ${singleQuoted(value)}`);
  if (body?.kind === 'json') lines.push(`request.body = <<~'JSON'`, `  ${indented(body.text, '  ')}`, 'JSON');
  if (body?.kind === 'text') lines.push(`request.body = ${singleQuoted(body.text)}`);
  if (body?.kind === 'file') lines.push(`request.body = File.binread('${FILE}')`);
  if (body?.kind === 'form' || body?.kind === 'multipart') {
    const fields = body.fields.map(
      ({ name, initial, isFile }) =>
        `  [${singleQuoted(name)}, ${isFile ? `File.open('${FILE}')` : singleQuoted(initial)}]`,
    );
    lines.push(
      `request.set_form([`,
      fields.join(',\n'),
      `]${body.kind === 'multipart' ? ", 'multipart/form-data'" : ''})`,
    );
  }
  const options = url.startsWith('https:') ? ', use_ssl: true' : '';
  lines.push(
    '',
    `response = Net::HTTP.start(uri.host, uri.port${options}) { |http| http.request(request) }`,
    '',
    'puts response.body',
  );
  return lines.join('\n');
}

export function powershell({ method, url, headers, body }: SampleRequest): string {
  const lines: string[] = [];
  const passed = [
    `-Uri ${powershellQuoted(url)}`,
    `-Method ${method.slice(0, 1)}${method.slice(1).toLowerCase()}`,
  ];
  const isType = ([name]: [string, string]) => name.toLowerCase() === 'content-type';
  const others = headers.filter((header) => !isType(header));
  if (others.length > 0) {
    lines.push(
      '$headers = @{',
      ...others.map(([name, value]) => `  ${powershellQuoted(name)} = ${powershellQuoted(value)}`),
      '}',
    );
    passed.push('-Headers $headers');
  }
  const type = headers.find(isType)?.[1];
  if (type !== undefined) passed.push(`-ContentType ${powershellQuoted(type)}`);
  if (body?.kind === 'json' || body?.kind === 'text' || body?.kind === 'form') {
    lines.push(`$body = ${powershellQuoted(body.text)}`);
    passed.push('-Body $body');
  } else if (body?.kind === 'file') passed.push(`-InFile '${FILE}'`);
  else if (body?.kind === 'multipart') {
    const fields = body.fields.map(
      ({ name, initial, isFile }) =>
        `  ${powershellQuoted(name)} = ${isFile ? `Get-Item '${FILE}'` : powershellQuoted(initial)}`,
    );
    lines.push('$form = @{', ...fields, '}');
    passed.push('-Form $form');
  }
  if (lines.length > 0) lines.push('');
  lines.push(`Invoke-RestMethod ${passed.join(' ')}`);
  return lines.join('\n');
}

function fieldsOf(fields: { name: string; initial: string }[]): Record<string, string> {
  return Object.fromEntries(fields.map(({ name, initial }) => [name, initial]));
}
