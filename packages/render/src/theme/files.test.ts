import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { apiFiles, themeFiles } from './files.ts';

const files = new Map(
  [...themeFiles(), ...apiFiles(new Set(['api', 'try-it']))].map(({ path, content }) => [
    path.replace('_docyard/', ''),
    content,
  ]),
);
const packedBytes = (name: string): number => gzipSync(files.get(name) ?? '').length;

describe('the files every page loads', () => {
  it('stay within their budgets', () => {
    expect(packedBytes('app.js') + packedBytes('theme.js')).toBeLessThan(15_000);
    expect(packedBytes('style.css')).toBeLessThan(20_000);
  });

  it('load nothing from other hosts', () => {
    for (const name of ['app.js', 'theme.js', 'style.css'])
      expect(files.get(name)).not.toMatch(/https?:|\/\/[a-z]|@import|fetch\(|url\(/);
  });
});

describe('the script of feedback', () => {
  it('sends requests to its own site only, and keeps nothing', () => {
    expect(files.get('feedback.js')?.match(/fetch\(root \+ /g)).toHaveLength(2);
    expect(files.get('feedback.js')?.match(/fetch\(/g)).toHaveLength(2);
    expect(files.get('feedback.js')).not.toMatch(/https?:\/|localStorage|cookie|innerHTML|sendBeacon/);
    expect(packedBytes('feedback.js') + packedBytes('feedback.css')).toBeLessThan(3500);
  });
});

describe('the files of answers', () => {
  it('ask their own site only, and insert text of a model as text', () => {
    const script = files.get('answers.js') ?? '';
    expect(script.match(/fetch\(search\.answersUrl\(\)/g)).toHaveLength(2);
    expect(script.match(/fetch\(/g)).toHaveLength(2);
    expect(script).not.toMatch(
      /https?:\/|localStorage|cookie|innerHTML|insertAdjacentHTML|sendBeacon|eval\(/,
    );
    expect(packedBytes('answers.js') + packedBytes('answers.css')).toBeLessThan(7000);
  });

  it('have every text in every language', () => {
    const textsOf = (name: string) =>
      [...(files.get(name) ?? '').matchAll(/'([^'\n]+)'/g)]
        .map(([, line = '']) => line.split('|'))
        .filter((texts) => texts.length > 10);
    const [names, english] = textsOf('answers.js');
    const all = [english, ...textsOf('answers-texts.js')];
    expect(all.map((texts) => texts?.length)).toEqual(Array.from({ length: 13 }, () => names?.length));
  });
});

describe('the files of API pages', () => {
  it('stay within their budgets', () => {
    expect(packedBytes('try-it.js')).toBeLessThan(8000);
    expect(packedBytes('style.css') + packedBytes('api.css')).toBeLessThan(20_000);
  });

  it('send no request except the one the reader starts', () => {
    expect(files.get('try-it.js')?.match(/fetch\(/g)).toHaveLength(1);
    expect(files.get('try-it.js')).not.toMatch(
      /XMLHttpRequest|WebSocket|sendBeacon|localStorage|innerHTML|eval\(/,
    );
    expect(files.get('api.css')).not.toMatch(/https?:|@import|url\(/);
  });
});
