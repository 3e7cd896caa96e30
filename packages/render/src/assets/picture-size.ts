/**
 * Reads the size of a picture from the first bytes of its file, so that a page can reserve its space. Unknown
 * formats have no size; it never throws.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import type { PictureSize } from '../model/site-plan.ts';

/** Covers the metadata before a JPEG's frame header. */
const headLength = 65_536;

export function pictureSize(path: string): PictureSize | undefined {
  try {
    return sizeInHead(readHead(path), /\.svg$/i.test(path));
  } catch {
    return undefined;
  }
}

export function pictureSizeOf(content: Uint8Array, isDrawing: boolean): PictureSize | undefined {
  try {
    return sizeInHead(
      Buffer.from(content.buffer, content.byteOffset, Math.min(content.length, headLength)),
      isDrawing,
    );
  } catch {
    return undefined;
  }
}

function sizeInHead(head: Buffer, isDrawing: boolean): PictureSize | undefined {
  const size = isDrawing ? svgSize(head.toString('utf8')) : rasterSize(head);
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

function readHead(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(headLength);
    return buffer.subarray(0, readSync(file, buffer, 0, headLength, 0));
  } finally {
    closeSync(file);
  }
}

function rasterSize(head: Buffer): PictureSize | undefined {
  if (head.toString('latin1', 1, 4) === 'PNG')
    return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
  if (head.toString('latin1', 0, 3) === 'GIF')
    return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
  if (head.readUInt16BE(0) === 0xffd8) return jpegSize(head);
  if (head.toString('latin1', 8, 12) === 'WEBP') return webpSize(head);
  return undefined;
}

/** Walks the segments up to the frame header. A rotated photograph swaps width and height. */
function jpegSize(head: Buffer): PictureSize | undefined {
  let turned = false;
  for (let at = 2; at + 9 < head.length;) {
    const marker = head.readUInt16BE(at);
    const length = head.readUInt16BE(at + 2);
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) {
      const height = head.readUInt16BE(at + 5);
      const width = head.readUInt16BE(at + 7);
      return turned ? { width: height, height: width } : { width, height };
    }
    if (marker === 0xffe1) turned = isTurned(head.subarray(at + 4, at + 2 + length));
    at += 2 + length;
  }
  return undefined;
}

const orientationTag = 0x0112;

function isTurned(exif: Buffer): boolean {
  if (exif.toString('latin1', 0, 4) !== 'Exif') return false;
  const tiff = exif.subarray(6);
  const little = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number): number => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = little ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  const count = short(directory);
  for (let index = 0; index < count; index++) {
    const entry = directory + 2 + index * 12;
    if (entry + 10 > tiff.length) return false;
    if (short(entry) === orientationTag) return short(entry + 8) >= 5;
  }
  return false;
}

function webpSize(head: Buffer): PictureSize | undefined {
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    case 'VP8 ':
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = head.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    default:
      return undefined;
  }
}

/** A drawing with only a view box has no intrinsic size. */
function svgSize(text: string): PictureSize | undefined {
  const tag = /<svg\b[^<>]*>/i.exec(text)?.[0] ?? '';
  const length = (name: string): number =>
    Number(new RegExp(`\\s${name}\\s*=\\s*["']\\s*([\\d.]+)(?:px)?\\s*["']`, 'i').exec(tag)?.[1] ?? 0);
  return { width: Math.round(length('width')), height: Math.round(length('height')) };
}
