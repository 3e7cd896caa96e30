/**
 * The subset of tar that bundles use: regular files with fixed owner, mode and time. Long names get a PAX
 * extended header.
 */
export const recordBytes = 512;
/** 1980-01-01: some tools warn about earlier dates. */
const fixedTime = 315_532_800;

export const endOfArchive: Uint8Array = Buffer.alloc(2 * recordBytes);

export function entryHeader(path: string, sizeBytes: number): Uint8Array {
  const split = splitName(path);
  if (split !== undefined && sizeBytes < 8 ** 11) return header({ ...split, sizeBytes, type: '0' });
  const record =
    extendedRecord('path', path) + (sizeBytes < 8 ** 11 ? '' : extendedRecord('size', String(sizeBytes)));
  const bytes = Buffer.from(record);
  return Buffer.concat([
    header({ name: 'extended-header', prefix: '', sizeBytes: bytes.length, type: 'x' }),
    bytes,
    entryPadding(bytes.length),
    header({ name: Buffer.from(path).subarray(-100).toString('latin1'), prefix: '', sizeBytes, type: '0' }),
  ]);
}

export function entryPadding(sizeBytes: number): Uint8Array {
  return Buffer.alloc(paddingBytes(sizeBytes));
}

export function paddingBytes(sizeBytes: number): number {
  return (recordBytes - (sizeBytes % recordBytes)) % recordBytes;
}

/** A plain header has 100 bytes for the name and 155 for the prefix, split at a slash. */
function splitName(path: string): { name: string; prefix: string } | undefined {
  if (!/^[\x20-\x7e]*$/.test(path)) return undefined;
  if (path.length <= 100) return { name: path, prefix: '' };
  const slash = path.indexOf('/', path.length - 101);
  if (slash <= 0 || slash > 155) return undefined;
  return { name: path.slice(slash + 1), prefix: path.slice(0, slash) };
}

function header({ name, prefix, sizeBytes, type }: HeaderFacts): Buffer {
  const block = Buffer.from(commonHeader);
  let sum = commonSum;
  const put = (text: string, offset: number): void => {
    for (let at = 0; at < text.length; at += 1) sum += block[offset + at] = text.charCodeAt(at);
  };
  put(name, 0);
  put(octal(Math.min(sizeBytes, 8 ** 11 - 1), 11), 124);
  put(type, 156);
  put(prefix, 345);
  put(`${octal(sum, 6)}\0 `, 148);
  return block;
}

interface HeaderFacts {
  /** ASCII only. */
  name: string;
  prefix: string;
  sizeBytes: number;
  type: '0' | 'x';
}

/** The fields that all entries share, with their checksum. */
const commonHeader = Buffer.alloc(recordBytes);
commonHeader.write(`${octal(0o644, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100, 'latin1');
commonHeader.write(`${octal(fixedTime, 11)}\0`, 136, 'latin1');
commonHeader.write(' '.repeat(8), 148, 'latin1');
commonHeader.write('ustar\x0000', 257, 'latin1');
const commonSum = commonHeader.reduce((sum, byte) => sum + byte, 0);

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

/** `length key=value\n`, where the length includes itself. */
function extendedRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const restBytes = Buffer.byteLength(rest);
  let length = restBytes + 1;
  while (String(length).length + restBytes !== length) length += 1;
  return `${length}${rest}`;
}
