/**
 * Files of a bundle that only some readers may see. They are encrypted, so that a web server without the content key serves
 * nothing but the public files. Sealing is deterministic: the same content and key give the same bytes.
 */
import { createCipheriv, createDecipheriv, createHmac, hash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type ContentKey, derived } from './content-key.ts';
import { BundleRefusedError } from './refusal.ts';

export const sealedFolder = '_docyard/sealed/';
/** Contains the audiences. */
export const sealedIndexPath = `${sealedFolder}index`;

const saltBytes = 32;
const tagBytes = 16;
/** Each file has its own key, so the nonce can be constant. */
const nonce = Buffer.alloc(12);

/** The name reveals neither the path nor the content. */
export function sealedPathOf(key: ContentKey, sha256: string): string {
  return `${sealedFolder}${derived(key.bytes, 'name', sha256).toString('hex').slice(0, 32)}`;
}

/** The path is authenticated, so a file cannot take the place of another one. */
export function seal(key: ContentKey, path: string, content: Uint8Array): Buffer {
  const salt = createHmac('sha256', derived(key.bytes, 'salt', path))
    .update(content)
    .digest();
  const cipher = createCipheriv('aes-256-gcm', fileKey(key, salt), nonce);
  cipher.setAAD(Buffer.from(path));
  const bytes = Buffer.concat([cipher.update(deflateRawSync(content)), cipher.final()]);
  return Buffer.concat([salt, cipher.getAuthTag(), bytes]);
}

/** Throws BundleRefusedError for another key and for changed bytes. */
export function unseal(
  key: ContentKey,
  path: string,
  { bytes, maxBytes }: { bytes: Uint8Array; maxBytes: number },
): Buffer {
  const sealed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const salt = sealed.subarray(0, saltBytes);
  const tag = sealed.subarray(saltBytes, saltBytes + tagBytes);
  try {
    const decipher = createDecipheriv('aes-256-gcm', fileKey(key, salt), nonce, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(path));
    decipher.setAuthTag(tag);
    const deflated = Buffer.concat([
      decipher.update(sealed.subarray(saltBytes + tagBytes)),
      decipher.final(),
    ]);
    return inflateRawSync(deflated, { maxOutputLength: maxBytes });
  } catch (error) {
    throw new BundleRefusedError('sealed_unreadable', path, { cause: error });
  }
}

/** As `unseal`, for content whose hash is known. */
export function unsealFile(
  key: ContentKey,
  { sha256, sizeBytes }: { sha256: string; sizeBytes: number },
  bytes: Uint8Array,
): Buffer {
  const path = sealedPathOf(key, sha256);
  const content = unseal(key, path, { bytes, maxBytes: Math.max(sizeBytes, 1) });
  if (hash('sha256', content) !== sha256) throw new BundleRefusedError('sealed_unreadable', path);
  return content;
}

function fileKey(key: ContentKey, salt: Uint8Array): Buffer {
  return derived(key.bytes, 'file', Buffer.from(salt).toString('hex'));
}
