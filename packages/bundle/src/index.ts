/** The archive format of an exported site: writer, reader, manifest, signature, delta and diff. */
export { AppendedFile, readInto } from './appended-file.ts';
export { Archive, type ArchivedFile } from './archive.ts';
export {
  type Audience,
  type Audiences,
  audienceOf,
  maxAudiences,
  openAudiences,
  sealAudiences,
} from './audiences.ts';
export { archiveKind, checkDelta, describeDelta, expandDelta, unpackDelta } from './delta.ts';
export {
  type ContentKey,
  contentKeyFrom,
  contentKeyText,
  newContentKey,
  parseContentKey,
} from './content-key.ts';
export { makeDelta } from './make-delta.ts';
export { diffSites, type MovedPage, type Page, type Side, type SiteDiff } from './diff.ts';
export { contentDate, dayOf, freshnessLine } from './freshness.ts';
export {
  type Manifest,
  manifestBytes,
  manifestName,
  maxManifestBytes,
  signatureName,
  trustedComment,
} from './manifest.ts';
export { NewFolder } from './new-folder.ts';
export { pageTitle } from './page-title.ts';
export { parseManifest } from './read-manifest.ts';
export { type Entry, readEntries, defaultReadingLimits } from './reader.ts';
export { BundleRefusedError, type Refusal } from './refusal.ts';
export { seal, sealedFolder, sealedIndexPath, sealedPathOf, unseal, unsealFile } from './sealed-files.ts';
export {
  InvalidKeyError,
  newSigningKey,
  parsePublicKey,
  parseSecretKey,
  type PublicKey,
  publicKeyLine,
  publicKeyOf,
  publicKeyText,
  secretKeyText,
  sign,
  type SigningKey,
  signingKeyFromSeed,
  verifySignature,
} from './signature.ts';
export { endOfArchive, entryHeader, entryPadding } from './tar.ts';
export { diffTexts } from './text-diff.ts';
export {
  checkBundle,
  type CheckedBundle,
  type CheckedFolder,
  checkFolder,
  checkManifest,
  type Expectations,
  readOpening,
  readSmall,
  unpackBundle,
} from './unpack.ts';
