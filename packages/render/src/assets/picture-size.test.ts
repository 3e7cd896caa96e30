import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withFolder } from '../../test/support/render-fixture.ts';
import { pictureSize } from './picture-size.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const exifTurned = 'ffe1 0022 457869660000 4949 2a00 08000000 0100 1201 0300 01000000 06000000 00000000';

const pictures: Record<string, [string | Buffer, string | undefined]> = {
  'a.png': [hex('89504e470d0a1a0a 0000000d 49484452 00000140 000000c8'), '320x200'],
  'a.gif': [Buffer.concat([Buffer.from('GIF89a'), hex('4001 c800')]), '320x200'],
  'a.jpg': [hex('ffd8 ffe0 0004 0000 ffc0 0011 08 00c8 0140 03 000000'), '320x200'],
  'turned.jpg': [hex(`ffd8 ${exifTurned} ffc2 0011 08 00c8 0140 03 000000`), '200x320'],
  'lossy.webp': [
    Buffer.concat([Buffer.from('RIFF0000WEBPVP8 '), hex('00000000 000000 9d012a 4001 c800')]),
    '320x200',
  ],
  'lossless.webp': [Buffer.concat([Buffer.from('RIFF0000WEBPVP8L'), hex('00000000 2f 3fc13100')]), '320x200'],
  'extended.webp': [
    Buffer.concat([Buffer.from('RIFF0000WEBPVP8X'), hex('00000000 00000000 3f0100 c70000')]),
    '320x200',
  ],
  'a.svg': ['<?xml version="1.0"?><svg width="320px" height="200" viewBox="0 0 1 1"/>', '320x200'],
  'box.svg': ['<svg viewBox="0 0 320 200"/>', undefined],
  'relative.svg': ['<svg width="100%" height="200"/>', undefined],
  'cut.png': [hex('89504e470d0a1a0a'), undefined],
  'cut.jpg': [hex('ffd8 ffe0'), undefined],
  'text.png': ['not a picture at all', undefined],
  'empty.png': ['', undefined],
};

describe('the size of a picture', () => {
  it.each(Object.entries(pictures))(
    'the size of %s is read from its header',
    async (name, [content, expected]) => {
      await withFolder({}, async (root) => {
        await writeFile(join(root, name), content);
        const size = pictureSize(join(root, name));
        expect(size && `${size.width}x${size.height}`).toBe(expected);
      });
    },
  );

  it('a missing file has no size', () => {
    expect(pictureSize('/nowhere/a.png')).toBeUndefined();
  });
});
