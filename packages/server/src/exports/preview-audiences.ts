/**
 * The audiences of a preview. Their sealed files are opened with the content key of the project and written beside the unpacked
 * site, so that they are removed with it.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { CreatePreview, PreviewAudience } from '@docyard/api';
import { type Audiences, BundleRefusedError, parsePublicKey } from '@docyard/bundle';
import {
  type AccessKeys,
  type OpenedRestricted,
  openRestricted,
  readAudiences,
} from '@docyard/site/restricted-files';
import type { Context } from '../context.ts';
import { Problem } from '../problem.ts';
import { findContentKey } from '../projects/content-key.ts';
import { forgetPreview, inTurn, type UnpackedSite } from './unpacked-sites.ts';

type KeyContext = Pick<Context, 'database' | 'secrets'>;

const withoutGroup: PreviewAudience = { audience: [], signedIn: true };

/** The readers whose files the bundle has, first those without a group. */
export async function listAudiences(
  context: KeyContext,
  site: UnpackedSite,
  projectId: string,
): Promise<PreviewAudience[]> {
  const read = async (): Promise<Audiences | undefined> =>
    readAudiences(site.folder, site.manifest, await keysFor(context, site, projectId));
  const found = await explained(site, read);
  const others = found?.audiences.map(({ groups, isSignedIn }) => ({
    audience: [...groups],
    signedIn: isSignedIn,
  }));
  return [withoutGroup, ...(others ?? [])];
}

/** The place of the wanted audience in the bundle; undefined for readers without a group. */
export function placeOfAudience(
  available: readonly PreviewAudience[],
  { audience = [], signedIn = true }: CreatePreview,
): number | undefined {
  const wanted = nameOf({ audience: [...new Set(audience)].toSorted(), signedIn });
  const place = available.findIndex((each) => nameOf(each) === wanted);
  if (place >= 0) return place === 0 ? undefined : place - 1;
  const names = available.map(nameOf).join('; ');
  const message = `The bundle has no files for these readers. Choose one of its audiences: ${names}.`;
  throw new Problem('invalid_request', message, { details: [{ path: 'audience', message }] });
}

const opened = new WeakMap<UnpackedSite, Promise<OpenedRestricted | undefined>>();

/** Undefined for a bundle without sealed files. */
export function openAudiences(
  context: KeyContext,
  site: UnpackedSite,
  projectId: string,
): Promise<OpenedRestricted | undefined> {
  const known = opened.get(site);
  if (known !== undefined) return known;
  const opening = explained(site, () =>
    inTurn(async () => {
      const keys = await keysFor(context, site, projectId);
      const draftFolder = join(site.folder, `restricted-${randomUUID()}.draft`);
      return openRestricted(site.folder, site.manifest, keys, { draftFolder, isPrecompressed: false });
    }),
  );
  opened.set(site, opening);
  opening.catch(() => opened.delete(site));
  return opening;
}

async function keysFor(
  context: KeyContext,
  { manifest }: UnpackedSite,
  projectId: string,
): Promise<AccessKeys> {
  const contentKey = await findContentKey(context, projectId);
  if (manifest.access !== undefined && contentKey?.keyId !== manifest.access.keyId)
    throw unreadable('they are sealed with another content key than that of the project');
  return { contentKey, publicKeys: [parsePublicKey(context.secrets.signer.publicKey)] };
}

async function explained<Result>(site: UnpackedSite, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BundleRefusedError)) throw error;
    // The files may have been removed; the next request unpacks them again.
    forgetPreview(site);
    throw unreadable(`the bundle is not valid [${error.refusal}]`, error);
  }
}

function unreadable(reason: string, cause?: unknown): Problem {
  const message = `The pages for groups of this bundle cannot be opened: ${reason}. Start a new export of the domain.`;
  return new Problem('bundle_purged', message, { cause });
}

function nameOf({ audience, signedIn }: PreviewAudience): string {
  const groups = audience.map((name) => JSON.stringify(name)).join(' and ');
  if (!signedIn) return groups === '' ? 'not signed in' : `${groups}, not signed in`;
  return groups === '' ? 'no group' : groups;
}
