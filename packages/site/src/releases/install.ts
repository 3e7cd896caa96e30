/**
 * Installs an archive: verify and unpack, compress, move into place, switch. Nothing is visible before the
 * switch, and a refused archive leaves nothing behind.
 */
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import {
  archiveKind,
  BundleRefusedError,
  type CheckedBundle,
  checkFolder,
  type ContentKey,
  type Expectations,
  type Manifest,
  unpackBundle,
  unpackDelta,
} from '@docyard/bundle';
import { foldersOf, type ReleaseRecord } from './release.ts';
import { openRestricted, RestrictedNotOpenedError } from './restricted-files.ts';
import { precompress } from '../serving/compressed-files.ts';
import { diskFull } from '../sources/download.ts';
import { isHeldAgainst, switched, taken, type State } from './state.ts';
import { nextId, type ReleaseStore } from './store.ts';

export interface Arrival {
  file: string;
  /** Without secrets. */
  origin: string;
  fingerprint: string | null;
  jobId: string | null;
}

export interface Installation {
  expectations: Expectations;
  /** Opens sealed files; null or undefined leaves them sealed. */
  contentKey?: ContentKey | null | undefined;
  /** The source it was fetched from and its fingerprint. Undefined for an import. */
  takenFrom?: { source: string; fingerprint: string | null } | undefined;
  signal?: AbortSignal | undefined;
}

export interface Installed {
  release: ReleaseRecord;
  /** The previously served release. */
  replaced: ReleaseRecord | undefined;
  /** The release that the delta was applied to. */
  appliedTo: string | undefined;
  /** `held`: the same content was rolled back. `same`: it was already served. */
  outcome: 'switched' | 'same' | 'held';
}

/** Throws BundleRefusedError or a file system error. */
export async function install(
  store: ReleaseStore,
  arrival: Arrival,
  installation: Installation,
): Promise<Installed> {
  const staged = store.newWork('release');
  await mkdir(staged);
  try {
    const { checked, appliedTo } = await unpack(store, arrival.file, staged, installation.expectations);
    store.onStep('unpacked');
    const twin = await findTwin(store, checked);
    if (twin !== undefined) return { ...(await switchToInstalled(store, twin, installation)), appliedTo };
    await compress(store, staged, checked, installation);
    store.onStep('compressed');
    return { ...(await addAndSwitch(store, staged, { arrival, checked, installation })), appliedTo };
  } catch (error) {
    throw diskFull(error);
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}

/** Activates an installed release after checking its files and the current expectations. */
export async function reinstall(
  store: ReleaseStore,
  release: ReleaseRecord,
  installation: Installation,
): Promise<Installed> {
  const lock = store.use(release.id);
  if (lock === undefined) throw new Error(`Release ${release.id} no longer exists.`);
  try {
    const { siteFolder } = await store.open(release.id);
    const { sha256: _ofArchive, ...expectations } = installation.expectations;
    const { signedBy } = await checkFolder(siteFolder, expectations);
    const known = { ...release, signedBy: signedBy ?? release.signedBy };
    return { ...(await switchToInstalled(store, known, installation)), appliedTo: undefined };
  } finally {
    lock.release();
  }
}

async function unpack(
  store: ReleaseStore,
  file: string,
  staged: string,
  expectations: Expectations,
): Promise<{ checked: CheckedBundle; appliedTo: string | undefined }> {
  const { siteFolder } = foldersOf(staged);
  if ((await archiveKind(file)) === 'bundle') {
    return {
      checked: await unpackBundle(createReadStream(file), siteFolder, expectations),
      appliedTo: undefined,
    };
  }
  const { current } = await store.state();
  const releases = (await store.releases()).toSorted(
    (a, b) => Number(b.id === current) - Number(a.id === current),
  );
  let refusal = new BundleRefusedError('base_missing');
  for (const { id } of releases) {
    const lock = store.use(id);
    if (lock === undefined) continue;
    try {
      const base = await store.open(id);
      const folders = { baseFolder: base.siteFolder, folder: siteFolder };
      return { checked: await unpackDelta(createReadStream(file), folders, expectations), appliedTo: id };
    } catch (error) {
      if (!(error instanceof BundleRefusedError) || error.refusal !== 'base_missing') throw error;
      refusal = error;
    } finally {
      lock.release();
    }
  }
  throw refusal;
}

/** The same content, signed by the same key, needs no second copy. */
async function findTwin(store: ReleaseStore, checked: CheckedBundle): Promise<ReleaseRecord | undefined> {
  return (await store.releases()).find(
    ({ manifestSha256, signedBy }) =>
      manifestSha256 === checked.manifestSha256 &&
      (checked.signedBy === null || signedBy === checked.signedBy),
  );
}

/** Most files are unchanged, so their compressed forms are reused. */
async function compress(
  store: ReleaseStore,
  staged: string,
  { manifest }: CheckedBundle,
  installation: Installation,
): Promise<void> {
  const { signal } = installation;
  const { current } = await store.state();
  const lock = current === null ? undefined : store.use(current);
  try {
    const earlier = lock === undefined || current === null ? undefined : await store.open(current);
    await precompress({ ...foldersOf(staged), manifest }, { reuseFrom: earlier?.compressedFolder, signal });
    await refuseUnreadable(store, { folder: staged, manifest, reuseFrom: earlier?.folder }, installation);
  } finally {
    lock?.release();
  }
}

/** A bundle whose sealed files cannot be opened must not replace one whose files can. */
async function refuseUnreadable(
  store: ReleaseStore,
  release: { folder: string; manifest: Manifest; reuseFrom?: string | undefined },
  { contentKey = null, expectations: { publicKeys = [] }, signal }: Installation,
): Promise<void> {
  const { folder, manifest, reuseFrom } = release;
  const options = { draftFolder: store.newWork('restricted'), reuseFrom, signal };
  try {
    await openRestricted(folder, manifest, { publicKeys, contentKey }, options);
  } catch (error) {
    if (!(error instanceof RestrictedNotOpenedError)) throw error;
  }
}

async function switchToInstalled(
  store: ReleaseStore,
  release: ReleaseRecord,
  installation: Installation,
): Promise<Omit<Installed, 'appliedTo'>> {
  const lock = store.use(release.id);
  try {
    await refuseUnreadable(store, await store.open(release.id), installation);
    return await switchTo(store, release, installation);
  } finally {
    lock?.release();
  }
}

async function addAndSwitch(
  store: ReleaseStore,
  staged: string,
  {
    arrival,
    checked,
    installation,
  }: { arrival: Arrival; checked: CheckedBundle; installation: Installation },
): Promise<Omit<Installed, 'appliedTo'>> {
  return change(store, installation, async (state) => {
    const release = recordOf(nextId(state, checked.manifestSha256), arrival, checked);
    // In the same step as the switch, because a sweep removes releases without a reference.
    await store.add(staged, release);
    store.onStep('moved');
    return { release, state: { ...state, sequence: state.sequence + 1 } };
  });
}

function switchTo(
  store: ReleaseStore,
  release: ReleaseRecord,
  installation: Installation,
): Promise<Omit<Installed, 'appliedTo'>> {
  return change(store, installation, async (state) => ({ release, state }));
}

async function change(
  store: ReleaseStore,
  { takenFrom, signal }: Installation,
  prepare: (state: State) => Promise<{ release: ReleaseRecord; state: State }>,
): Promise<Omit<Installed, 'appliedTo'>> {
  let change: { release: ReleaseRecord; before: string | null; isHeld: boolean } | undefined;
  await store.change(async (state) => {
    const prepared = await prepare(state);
    const { release } = prepared;
    const fingerprint = takenFrom?.fingerprint ?? `sha256:${release.archiveSha256}`;
    const next =
      takenFrom === undefined ? prepared.state : taken(prepared.state, takenFrom.source, fingerprint);
    // An import overrides a rollback; a source that offers the same bundle does not.
    const isHeld = takenFrom !== undefined && isHeldAgainst(state, release.manifestSha256);
    change = { release, before: state.current, isHeld };
    return isHeld ? next : switched(next, release.id);
  }, signal);
  if (change === undefined) throw new Error('Nothing was changed.');
  store.onStep('switched');
  const { release, before, isHeld } = change;
  const replaced = (await store.releases()).find(({ id }) => id === before);
  return { release, replaced, outcome: isHeld ? 'held' : before === release.id ? 'same' : 'switched' };
}

function recordOf(id: string, arrival: Arrival, checked: CheckedBundle): ReleaseRecord {
  const { version, commit, committedAt, pages, files } = checked.manifest;
  return {
    format: 1,
    id,
    version,
    commit,
    committedAt,
    pages,
    files: files.length,
    contentBytes: checked.contentBytes,
    manifestSha256: checked.manifestSha256,
    archiveSha256: checked.archiveSha256,
    signedBy: checked.signedBy,
    installedAt: new Date().toISOString(),
    origin: arrival.origin,
    fingerprint: arrival.fingerprint,
    jobId: arrival.jobId,
  };
}
