/** Parses and validates an untrusted `manifest.json`. */
import { Manifest as ManifestSchema } from '@docyard/api';
import { manifestName, maxManifestBytes, signatureName, type Manifest } from './manifest.ts';
import { DistinctNames, requireValidName, quoted } from './names.ts';
import { defaultReadingLimits } from './reader.ts';
import { BundleRefusedError } from './refusal.ts';

export function parseManifest(bytes: Uint8Array): Manifest {
  if (bytes.length > maxManifestBytes)
    throw new BundleRefusedError('too_large', `${manifestName} has ${bytes.length} bytes.`);
  const value = parseBounded(bytes);
  const { format } = (value ?? {}) as { format?: unknown };
  if (typeof format === 'number' && format !== 1)
    throw new BundleRefusedError('format_unknown', `It is ${format}.`);
  const parsed = ManifestSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new BundleRefusedError('manifest_invalid', `${issue?.path.join('.')}: ${issue?.message}.`);
  }
  checkFiles(parsed.data.files);
  return parsed.data;
}

function checkFiles(files: Manifest['files']): void {
  const names = new DistinctNames();
  // The manifest does not list itself and its signature.
  for (const name of [manifestName, signatureName]) names.add(name);
  let contentBytes = 0;
  for (const { path, sizeBytes } of files) {
    requireValidName(path);
    names.require(path);
    contentBytes += sizeBytes;
    if (sizeBytes > defaultReadingLimits.entryBytes || contentBytes > defaultReadingLimits.contentBytes)
      throw new BundleRefusedError('too_large', `${quoted(path)} has ${sizeBytes} bytes.`);
  }
}

/**
 * Counts JSON tokens before parsing, because a small text can expand to very large objects. An entry has five
 * of them.
 */
function parseBounded(bytes: Uint8Array): unknown {
  const maxTokens = (defaultReadingLimits.entries + 10) * 5;
  let tokens = 0;
  let isQuoted = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === 0x22) isQuoted = !isQuoted;
    else if (isQuoted) at += byte === 0x5c ? 1 : 0;
    else if (byte === 0x7b || byte === 0x5b || byte === 0x2c) tokens += 1;
  }
  if (tokens > maxTokens) throw new BundleRefusedError('too_large', `${manifestName} lists too many files.`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw new BundleRefusedError('manifest_invalid', 'It is not JSON.');
  }
}
