import { describe, expect, it } from 'vitest';
import { sourcesOf } from './try-it.ts';

const variable = (name: string, ...choices: string[]) => ({
  name,
  initial: choices[0] ?? '',
  choices,
  description: '',
});

describe('where a form may send requests', () => {
  it('is the host of the server, with its port', () => {
    expect(sourcesOf('https://API.example.com/v1', [])).toEqual(['https://api.example.com']);
    expect(sourcesOf('http://localhost:3000', [])).toEqual(['http://localhost:3000']);
  });

  it('is each host that the values of a variable give', () => {
    expect(
      sourcesOf('https://{region}.example.com/{v}', [variable('region', 'eu', 'us'), variable('v')]),
    ).toEqual(['https://eu.example.com', 'https://us.example.com']);
  });

  it('is a whole domain when any value may stand first, or any port when it may stand last', () => {
    expect(sourcesOf('https://{tenant}.example.com', [variable('tenant')])).toEqual([
      'https://*.example.com',
    ]);
    expect(sourcesOf('https://{a}.{b}.example.com', [])).toEqual(['https://*.example.com']);
    expect(sourcesOf('https://my-{tenant}.example.com', [])).toEqual(['https://*.example.com']);
    expect(sourcesOf('https://api.example.com:{port}/v1', [])).toEqual(['https://api.example.com:*']);
  });

  it('is everything over https when the policy cannot say it more closely', () => {
    expect(sourcesOf('https://{host}/v1', [variable('host')])).toEqual(['https:']);
    expect(sourcesOf('https://api.{region}.example.com', [])).toEqual(['https:']);
    expect(sourcesOf('{server}/v1', [variable('server', 'https://a.example', 'https://b.example')])).toEqual([
      'https://a.example',
      'https://b.example',
    ]);
  });

  it('is nothing for addresses without a host', () => {
    for (const url of ['/v1', 'v1', '', 'ftp://example.com', 'javascript:alert(1)', '{x}'])
      expect(sourcesOf(url, [])).toEqual([]);
  });

  it('never lets more into the policy than a host', () => {
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
