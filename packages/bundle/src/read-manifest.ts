/** Reads `manifest.json` as a stranger's text: whoever takes a bundle does. */
import { Manifest as ManifestSchema } from '@docyard/api';
import { manifestName, mostManifestBytes, signatureName, type Manifest } from './manifest.ts';
import { DistinctNames, insistOnName, quoted } from './names.ts';
import { usualLimits } from './reader.ts';
import { BundleRefused } from './refusal.ts';

/** Throws BundleRefused unless the text is a manifest whose files could be those of a site. */
export function parseManifest(bytes: Uint8Array): Manifest {
  if (bytes.length > mostManifestBytes)
    throw new BundleRefused('too_large', `${manifestName} has ${bytes.length} bytes.`);
  const value = parseWithin(bytes);
  const { format } = (value ?? {}) as { format?: unknown };
  if (typeof format === 'number' && format !== 1)
    throw new BundleRefused('format_unknown', `It is ${format}.`);
  const parsed = ManifestSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new BundleRefused('manifest_invalid', `${issue?.path.join('.')}: ${issue?.message}.`);
  }
  checkFiles(parsed.data.files);
  return parsed.data;
}

function checkFiles(files: Manifest['files']): void {
  const names = new DistinctNames();
  // They are in the folder too, and describe it; a list of itself could not be true.
  for (const own of [manifestName, signatureName]) names.add(own);
  let contentBytes = 0;
  for (const { path, sizeBytes } of files) {
    insistOnName(path);
    names.insist(path);
    contentBytes += sizeBytes;
    if (sizeBytes > usualLimits.entryBytes || contentBytes > usualLimits.contentBytes)
      throw new BundleRefused('too_large', `${quoted(path)} has ${sizeBytes} bytes.`);
  }
}

/**
 * Counts before anything is made of the text: 64 MB of `{},{},…` would become more than a gigabyte of objects. A file of a
 * manifest has five marks outside of quotes.
 */
function parseWithin(bytes: Uint8Array): unknown {
  const mostMarks = (usualLimits.entries + 10) * 5;
  let marks = 0;
  let isQuoted = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === 0x22) isQuoted = !isQuoted;
    else if (isQuoted) at += byte === 0x5c ? 1 : 0;
    else if (byte === 0x7b || byte === 0x5b || byte === 0x2c) marks += 1;
  }
  if (marks > mostMarks) throw new BundleRefused('too_large', `${manifestName} lists too many files.`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw new BundleRefused('manifest_invalid', 'It is not JSON.');
  }
}
