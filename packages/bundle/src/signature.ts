/**
 * Signatures in the minisign format: ed25519 over the BLAKE2b hash of the bytes, and a second one over the
 * signature and its trusted comment. Deterministic: the same bytes and key yield the same signature.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  randomBytes,
  sign as signBytes,
  timingSafeEqual,
  verify as verifyBytes,
  type KeyObject,
} from 'node:crypto';
import { BundleRefusedError } from './refusal.ts';

export interface PublicKey {
  /** 16 hexadecimal digits, as minisign prints them. */
  keyId: string;
  bytes: Buffer;
  key: KeyObject;
}

export interface SigningKey {
  keyId: string;
  seed: Buffer;
  publicBytes: Buffer;
  key: KeyObject;
}

/** The message never contains the text of the key. */
export class InvalidKeyError extends Error {
  override name = 'InvalidKeyError';
}

const algorithm = Buffer.from('Ed');
const prehashed = Buffer.from('ED');
const seedBytes = 32;
const signatureBytes = 64;
const maxSignatureText = 16 * 1024;

export function newSigningKey(): SigningKey {
  return signingKeyFromSeed(randomBytes(seedBytes));
}

export function signingKeyFromSeed(seed: Uint8Array): SigningKey {
  const publicBytes = publicBytesOf(seed);
  // minisign chooses a random id; deriving it makes the seed sufficient.
  const id = createHash('sha256').update(publicBytes).digest().subarray(0, 8);
  return signingKey(seed, publicBytes, id);
}

function signingKey(seed: Uint8Array, publicBytes: Buffer, id: Buffer): SigningKey {
  return { keyId: keyIdText(id), seed: Buffer.from(seed), publicBytes, key: privateKeyOf(seed) };
}

export function publicKeyOf({ keyId, publicBytes }: SigningKey): PublicKey {
  return { keyId, bytes: publicBytes, key: publicKeyFrom(publicBytes) };
}

/** The format of `minisign -G -W`. */
export function secretKeyText(key: SigningKey): string {
  const bytes = Buffer.alloc(secretLayout.length);
  algorithm.copy(bytes, 0);
  bytes.write('B2', secretLayout.checksumKind, 'latin1');
  keyIdBytes(key.keyId).copy(bytes, secretLayout.keyId);
  key.seed.copy(bytes, secretLayout.seed);
  key.publicBytes.copy(bytes, secretLayout.publicKey);
  return `untrusted comment: docyard secret key ${key.keyId}\n${bytes.toString('base64')}\n`;
}

/** Without a password the fields for key derivation and checksum are empty. */
const secretLayout = { kdf: 2, checksumKind: 4, keyId: 54, seed: 62, publicKey: 94, length: 158 };

export function parseSecretKey(text: string): SigningKey {
  const bytes = decodeStrictly(lastLine(text), secretLayout.length);
  if (bytes === undefined || !bytes.subarray(0, 2).equals(algorithm))
    throw new InvalidKeyError(
      'This is not a minisign secret key. Create one with `docyard signing-key create`.',
    );
  if (bytes.readUInt16BE(secretLayout.kdf) !== 0)
    throw new InvalidKeyError(
      'This secret key is protected by a password, which is not supported. ' +
        'Create a key without one: `docyard signing-key create` or `minisign -G -W`.',
    );
  const { keyId: idAt, seed: seedAt, publicKey: publicAt } = secretLayout;
  const seed = bytes.subarray(seedAt, publicAt);
  const publicBytes = bytes.subarray(publicAt, publicAt + 32);
  if (!timingSafeEqual(publicBytes, publicBytesOf(seed)))
    throw new InvalidKeyError('This secret key is damaged: its two halves do not match.');
  return signingKey(seed, publicBytes, bytes.subarray(idAt, seedAt));
}

/** The text of a `.pub` file. */
export function publicKeyText({ keyId, bytes }: PublicKey): string {
  return `untrusted comment: minisign public key ${keyId}\n${publicKeyLine({ keyId, bytes })}\n`;
}

/** The argument of `minisign -P`. */
export function publicKeyLine({ keyId, bytes }: Pick<PublicKey, 'keyId' | 'bytes'>): string {
  return Buffer.concat([algorithm, keyIdBytes(keyId), bytes]).toString('base64');
}

/** Accepts a `.pub` file or its last line. */
export function parsePublicKey(text: string): PublicKey {
  const decoded = decodeStrictly(lastLine(text), 42);
  if (decoded === undefined || !decoded.subarray(0, 2).equals(algorithm))
    throw new InvalidKeyError(
      'This is not a minisign public key, which is one line of 56 characters that starts with RW.',
    );
  const bytes = decoded.subarray(10);
  return { keyId: keyIdText(decoded.subarray(2, 10)), bytes, key: publicKeyFrom(bytes) };
}

/** The text of a `.minisig` file. The trusted comment must be one line. */
export function sign(key: SigningKey, bytes: Uint8Array, trustedComment: string): string {
  const signature = signBytes(null, digest(bytes), key.key);
  const global = signBytes(null, Buffer.concat([signature, Buffer.from(trustedComment)]), key.key);
  const line = Buffer.concat([prehashed, keyIdBytes(key.keyId), signature]).toString('base64');
  return (
    `untrusted comment: signature from docyard, key ${key.keyId}\n${line}\n` +
    `trusted comment: ${trustedComment}\n${global.toString('base64')}\n`
  );
}

/** Throws BundleRefusedError unless one of the keys signed these bytes. */
export function verifySignature(
  keys: readonly PublicKey[],
  bytes: Uint8Array,
  signatureText: string,
): { keyId: string; trustedComment: string } {
  const parsed = parseSignature(signatureText);
  const { keyId, trustedComment } = parsed;
  const candidates = keys.filter((key) => key.keyId === keyId);
  if (candidates.length === 0) {
    const trusted = keys.map((key) => key.keyId).join(' or ') || 'a trusted key';
    throw new BundleRefusedError('wrong_key', `It is signed with the key ${keyId}, not with ${trusted}.`);
  }
  const message = parsed.isPrehashed ? digest(bytes) : bytes;
  const comment = Buffer.concat([parsed.signature, Buffer.from(trustedComment)]);
  const isBy = ({ key }: PublicKey) =>
    verifyBytes(null, message, key, parsed.signature) && verifyBytes(null, comment, key, parsed.global);
  if (!candidates.some(isBy)) throw new BundleRefusedError('signature_invalid', `It names the key ${keyId}.`);
  return { keyId, trustedComment };
}

interface ParsedSignature {
  keyId: string;
  isPrehashed: boolean;
  signature: Buffer;
  trustedComment: string;
  global: Buffer;
}

/** Parses without verifying. */
export function parseSignature(text: string): ParsedSignature {
  const lines = text.length > maxSignatureText ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
  const [untrusted = '', first = '', trusted = '', last = ''] = lines;
  const decoded = decodeStrictly(first, 10 + signatureBytes);
  const global = decodeStrictly(last, signatureBytes);
  const isPrehashed = decoded?.subarray(0, 2).equals(prehashed) === true;
  const isKnown = isPrehashed || decoded?.subarray(0, 2).equals(algorithm) === true;
  const hasForm =
    lines.length === 4 &&
    untrusted.startsWith('untrusted comment: ') &&
    trusted.startsWith('trusted comment: ');
  if (decoded === undefined || global === undefined || !isKnown || !hasForm)
    throw new BundleRefusedError('signature_invalid', 'It is not in the format of minisign.');
  return {
    keyId: keyIdText(decoded.subarray(2, 10)),
    isPrehashed,
    signature: decoded.subarray(10),
    trustedComment: trusted.slice('trusted comment: '.length),
    global,
  };
}

/** minisign prints the id as a little-endian number. */
function keyIdText(id: Buffer): string {
  return Buffer.from(id.toReversed()).toString('hex').toUpperCase();
}

function keyIdBytes(keyId: string): Buffer {
  return Buffer.from(Buffer.from(keyId, 'hex').toReversed());
}

function lastLine(text: string): string {
  return text.trimEnd().split(/\r?\n/).at(-1)?.trim() ?? '';
}

/** Undefined unless the text is the canonical base64 of `length` bytes. */
function decodeStrictly(text: string, length: number): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === length && bytes.toString('base64') === text ? bytes : undefined;
}

function digest(bytes: Uint8Array): Buffer {
  return createHash('blake2b512').update(bytes).digest();
}

/** DER prefixes of PKCS #8 and SPKI keys. */
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');

function privateKeyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([privatePrefix, seed]), format: 'der', type: 'pkcs8' });
}

function publicKeyFrom(bytes: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([publicPrefix, bytes]), format: 'der', type: 'spki' });
}

function publicBytesOf(seed: Uint8Array): Buffer {
  const spki = createPublicKey(privateKeyOf(seed)).export({ format: 'der', type: 'spki' });
  return spki.subarray(publicPrefix.length);
}
