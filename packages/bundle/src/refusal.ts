/** The reasons to refuse a bundle. A test checks the manual's table against this one. */
export const refusalTable = {
  truncated: 'The archive is incomplete: the file ends too early.',
  not_a_bundle: 'The file is not a Docyard bundle.',
  unsafe_path: 'A file name leads outside the folder, or is not valid on every system.',
  link: 'The archive contains a link.',
  special_file: 'The archive contains a device, a pipe or a folder entry.',
  duplicate: 'Two entries have the same name, or names that differ only in case.',
  too_large: 'The archive unpacks to more files or bytes than the limit, or than its manifest lists.',
  manifest_missing: 'manifest.json is missing, or is not the first file of the archive.',
  manifest_invalid: 'The manifest is not valid.',
  format_unknown: 'The bundle has a newer format. Update Docyard to read it.',
  file_changed: 'A file differs from the hash or size in the manifest.',
  file_unlisted: 'The archive contains a file that the manifest does not list.',
  file_missing: 'A file of the manifest is missing from the archive.',
  signature_missing: 'A public key is required, but the bundle is not signed.',
  signature_invalid: 'The signature does not match the manifest.',
  wrong_key: 'The bundle is not signed with one of the given keys.',
  wrong_version: 'The bundle does not have the required version.',
  wrong_hash: 'The file does not have the expected SHA-256.',
  base_missing: 'The bundle that the delta is based on is not available.',
  delta_invalid: 'The delta cannot be applied.',
  sealed_unreadable:
    'A restricted file cannot be decrypted: the content key is that of another site, or the file was changed.',
} as const satisfies Record<string, string>;

export type Refusal = keyof typeof refusalTable;

export class BundleRefusedError extends Error {
  override name = 'BundleRefusedError';
  readonly refusal: Refusal;

  /** `detail` names the file or the values in question. */
  constructor(refusal: Refusal, detail?: string, options?: ErrorOptions) {
    // Removes control characters, which could move the cursor of a terminal.
    const shown = detail === undefined ? '' : ` ${detail.replaceAll(/\p{Cc}/gu, ' ')}`;
    super(`${refusalTable[refusal]}${shown} [${refusal}]`, options);
    this.refusal = refusal;
  }
}
