import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { fixture } from '../../test/support/render-fixture.ts';
import { channelView } from './channel.ts';
import { trimmedChannel } from './trim.ts';
import type { SpecDocument } from '../model/site-plan.ts';

const harbour = parse(readFileSync(fixture('sites/everything/api/harbour.yaml'), 'utf8')) as SpecDocument;

describe('the excerpt about a channel', () => {
  it.each(['berth', 'moved', 'answers'])('yields the same view of %s as the whole document', (name) => {
    const excerpt = trimmedChannel(harbour, name);
    expect(channelView(excerpt ?? {}, name)).toEqual(channelView(harbour, name));
  });

  it('contains nothing of other channels', () => {
    const excerpt = trimmedChannel(harbour, 'berth') as Record<string, Record<string, object>>;
    expect(Object.keys(excerpt['channels'] ?? {})).toEqual(['berth', 'answers']);
    expect(Object.keys(excerpt['servers'] ?? {})).toEqual(['live']);
    expect(Object.keys(excerpt['operations'] ?? {})).toEqual(['onArrival', 'command']);
    expect(Object.keys(excerpt['components']?.['messages'] ?? {}).toSorted()).toEqual([
      'Arrival',
      'Command',
      'Done',
      'Weather',
    ]);
  });

  it('stays within the size limit', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [
        `s${index}`,
        { description: 'x'.repeat(2000), items: { $ref: `#/components/schemas/s${index + 1}` } },
      ]),
    );
    const payload = { $ref: '#/components/schemas/s0' };
    const document = { channels: { a: { messages: { m: { payload } } } }, components: { schemas } };
    expect(JSON.stringify(trimmedChannel(document, 'a')).length).toBeLessThan(200_000);
    expect(trimmedChannel(document, 'b')).toBeUndefined();
  });
});
