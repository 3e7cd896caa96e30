import { describe, expect, it } from 'vitest';
import { SharedText, decodedText, encodedPieces, encodedText } from './encoded-text.ts';

const long = 'Some words of a page, again and again. '.repeat(20_000);

describe('encodedText', () => {
  it.each([
    ['nothing', ''],
    ['plain text', 'A page'],
    ['Latin text', 'Größe, naïve, ÿ'],
    ['typographic text', 'It’s “quoted” – once…'],
    ['characters of two units', 'A 😀 and a 𝒳'],
    ['half of a pair', 'a\ud83db and ’\udc00'],
    ['long plain text', long],
    ['long typographic text', `${long}’`],
  ])('encodedText encodes %s', (_, text) => {
    expect(Buffer.from(encodedText(text)).equals(Buffer.from(text))).toBe(true);
  });

  it('encodedPieces joins strings, shared text and bytes', () => {
    const shared = new SharedText('– shared –');
    const pieces = ['It’s ', shared, Buffer.from(' “bytes” '), shared, ' end', new Uint8Array()];
    expect(decodedText(encodedPieces(pieces))).toBe('It’s – shared – “bytes” – shared – end');
    expect(shared.bytes).toBe(shared.bytes);
  });

  it('encoding does not change earlier results', () => {
    const texts = Array.from({ length: 3000 }, (_, index) => `${index % 2 ? '’' : 'é'}${index} `.repeat(100));
    const encoded = texts.map((text) => encodedText(text));
    expect(encoded.map((bytes) => Buffer.from(bytes).toString())).toEqual(texts);
  });
});
