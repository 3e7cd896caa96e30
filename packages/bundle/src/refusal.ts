/** The reasons to refuse a bundle. A test checks the manual's table against this one. */
export const refusalTable = {
  truncated: 'The file ends before the archive does.',
  not_a_bundle: 'The file is not a gzipped tar in the form that Docyard writes.',
  unsafe_path: 'A name leads outside the folder, or cannot be the same file on every system.',
  link: 'The archive holds a link.',
  special_file: 'The archive holds a device, a pipe or a folder entry.',
  duplicate: 'Two entries have the same name, or names that differ only in case.',
  too_large: 'The archive unpacks to more files or bytes than it may, or than its manifest says.',
  manifest_missing: 'The archive does not begin with manifest.json.',
  manifest_invalid: 'The manifest cannot be understood.',
  format_unknown: 'A newer version made the bundle; this one does not know its format.',
  file_changed: 'A file does not have the hash or the size that the manifest lists.',
  file_unlisted: 'The archive holds a file that the manifest does not list.',
  file_missing: 'A file of the manifest is not in the archive.',
  signature_missing: 'A public key was given, and the bundle is not signed.',
  signature_invalid: 'The signature does not fit the manifest.',
  wrong_key: 'Another key than the given ones signed the bundle.',
  wrong_version: 'The bundle has another version than the pinned one.',
  wrong_hash: 'The file does not have the expected SHA-256.',
  base_missing: 'A delta needs the bundle that it was made from, and that one is not here.',
  delta_invalid: 'The delta cannot be applied.',
} as const satisfies Record<string, string>;

export type Refusal = keyof typeof refusalTable;

export class BundleRefusedError extends Error {
  override name = 'BundleRefusedError';
  readonly refusal: Refusal;

  /** `detail` names the file or the values in question. */
  constructor(refusal: Refusal, detail?: string) {
    // Removes control characters, which could move the cursor of a terminal.
    const shown = detail === undefined ? '' : ` ${detail.replaceAll(/\p{Cc}/gu, ' ')}`;
    super(`${refusalTable[refusal]}${shown} [${refusal}]`);
    this.refusal = refusal;
  }
}
