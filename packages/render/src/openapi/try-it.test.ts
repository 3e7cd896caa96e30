import { describe, expect, it } from 'vitest';
import { sourcesOf } from './try-it.ts';

const variable = (name: string, ...choices: string[]) => ({
  name,
  initial: choices[0] ?? '',
  choices,
  description: '',
});

describe('the connect-src of a request form', () => {
  it('is the host of the server, with its port', () => {
    expect(sourcesOf('https://API.example.com/v1', [])).toEqual(['https://api.example.com']);
    expect(sourcesOf('http://localhost:3000', [])).toEqual(['http://localhost:3000']);
  });

  it('contains a host for each value of a variable', () => {
    expect(
      sourcesOf('https://{region}.example.com/{v}', [variable('region', 'eu', 'us'), variable('v')]),
    ).toEqual(['https://eu.example.com', 'https://us.example.com']);
  });

  it('is a wildcard when the first label or the port may have any value', () => {
    expect(sourcesOf('https://{tenant}.example.com', [variable('tenant')])).toEqual([
      'https://*.example.com',
    ]);
    expect(sourcesOf('https://{a}.{b}.example.com', [])).toEqual(['https://*.example.com']);
    expect(sourcesOf('https://my-{tenant}.example.com', [])).toEqual(['https://*.example.com']);
    expect(sourcesOf('https://api.example.com:{port}/v1', [])).toEqual(['https://api.example.com:*']);
  });

  it('is https: when CSP cannot express the host', () => {
    expect(sourcesOf('https://{host}/v1', [variable('host')])).toEqual(['https:']);
    expect(sourcesOf('https://api.{region}.example.com', [])).toEqual(['https:']);
    expect(sourcesOf('{server}/v1', [variable('server', 'https://a.example', 'https://b.example')])).toEqual([
      'https://a.example',
      'https://b.example',
    ]);
  });

  it('is every host when the whole address is a variable, over http only when its default is', () => {
    const address = (initial: string) => [{ name: 'address', initial, choices: [], description: '' }];
    expect(sourcesOf('{address}', address('https://api.example.com'))).toEqual(['https:']);
    expect(sourcesOf('{address}', address('http://127.0.0.1:4400'))).toEqual(['http:', 'https:']);
    expect(sourcesOf('{address}', address('ftp://example.com'))).toEqual([]);
  });

  it('is empty for addresses without a host', () => {
    for (const url of ['/v1', 'v1', '', 'ftp://example.com', 'javascript:alert(1)', '{x}'])
      expect(sourcesOf(url, [])).toEqual([]);
  });

  it('never adds more than a host to the policy', () => {
    for (const host of [
      'a;script-src *',
      "a 'unsafe-inline'",
      'a"b',
      'a,b',
      '*',
      '*.com',
      'user@host',
      '[::1]',
    ])
      expect(sourcesOf(`https://${host}/`, [])).toEqual(['https:']);
    expect(sourcesOf('https://{x}/', [variable('x', "a; script-src 'unsafe-inline'")])).toEqual(['https:']);
  });
});
