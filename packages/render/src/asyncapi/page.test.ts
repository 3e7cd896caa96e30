import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Rendered, fixture, renderFiles } from '../../test/support/render-fixture.ts';

const spec = readFileSync(fixture('sites/everything/api/harbour.yaml'), 'utf8');

describe('a page about a channel', () => {
  let site: Rendered;
  let content: string;

  beforeAll(async () => {
    site = await renderFiles({
      'harbour.yaml': spec,
      'docs.json': JSON.stringify({ navigation: { pages: ['berth', 'moved', 'lost'] } }),
      'berth.mdx': '---\nasyncapi: harbour.yaml berth\n---\n\nWritten by hand.\n',
      'moved.mdx': '---\nasyncapi: /harbour.yaml moved\n---\n',
      'lost.mdx': '---\ntitle: Lost\nasyncapi: harbour.yaml nowhere\n---\n\nStill here.\n',
    });
    content = site.content('berth.html');
  });

  it('shows every text of its channel', () => {
    const words = [
      'Written by hand.',
      'wss://{region}.harbour.example/stream',
      'The coast.',
      'harbour-key',
      'The number on the pier.',
      'A ship arrives',
      'From a trait.',
      'Bindings for kafka',
      'berths:write',
      '$message.header#/replyTo',
      'Ship arrived',
      'traceId',
      'As painted on the bow.',
      'freighter',
      'The same on every message of one call.',
      '20 a day',
      'All that floats',
      'X-Trace',
      'dock team',
    ];
    expect(words.filter((word) => !content.includes(word))).toEqual([]);
    expect(site.content('moved.html')).toContain('payloadFormatIndicator');
  });

  it('has an address bar, and an example of each message beside the content', () => {
    const page = site.files.get('berth.html') ?? '';
    expect(page).toMatch(/class="dy-api-bar".*WSS.*berthId/);
    const aside = /<section[^>]* class="dy-example"[\s\S]*?<\/section>\s*<\/div>/.exec(page)?.[0] ?? '';
    for (const title of ['Ship arrived', 'command', 'Done', 'A ferry', 'Headers'])
      expect(aside).toContain(title);
  });

  it("shows sending and receiving from the reader's side", () => {
    expect(content).toMatch(/>Receive<\/span> <span class="dy-channel-operation">A ship arrives</);
    expect(content).toMatch(/>Send<\/span> <span class="dy-channel-operation">Order something at a berth</);
  });

  it('leads from operations to their messages, with ids that occur once', () => {
    const page = site.files.get('berth.html') ?? '';
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map((match) => match[1]);
    expect(new Set(ids).size).toBe(ids.length);
    const targets = [...content.matchAll(/<a href="#(message-[^"]*)"/g)].map((match) => match[1]);
    expect(targets).toEqual(['message-arrival', 'message-command', 'message-done']);
    expect(targets.filter((target) => !ids.includes(target))).toEqual([]);
  });

  it('is rendered when the channel does not exist', () => {
    expect(site.content('lost.html')).toContain('Still here.');
    expect(site.diagnostics.some(({ file, severity }) => file === 'lost.mdx' && severity === 'warning')).toBe(
      true,
    );
  });
});
