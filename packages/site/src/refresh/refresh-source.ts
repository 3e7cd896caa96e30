/**
 * Refreshes from one source: nothing new, a new release, or a refusal. Refusals are cached, so that a bad
 * bundle is fetched and logged once.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { BundleRefusedError, type Expectations } from '@docyard/bundle';
import { install, reinstall, type Installed } from '../releases/install.ts';
import type { ReleaseRecord } from '../releases/release.ts';
import type { ExportSettings } from '../settings/settings.ts';
import type { Offer, Source } from '../sources/source.ts';
import { isHeldAgainst, taken } from '../releases/state.ts';
import type { ReleaseStore } from '../releases/store.ts';

export interface KeyedSource extends Source {
  /** Identifies the source and the expectations, so that changed expectations cause a new check. */
  key: string;
}

export type RefreshResult =
  | { outcome: 'unchanged' | 'held' }
  | { outcome: 'installed'; installed: Installed }
  /** `isNews` is true the first time. */
  | { outcome: 'refused'; refusal: BundleRefusedError; isNews: boolean };

export interface RefreshContext {
  store: ReleaseStore;
  settings: ExportSettings;
  /** Refusals since the settings last changed, by source and fingerprint. */
  refused: Map<string, BundleRefusedError>;
  signal: AbortSignal;
}

export async function refreshSource(source: KeyedSource, context: RefreshContext): Promise<RefreshResult> {
  const { store, signal } = context;
  const state = await store.state();
  const known = state.taken[source.key] ?? null;
  const offer = await source.look(known, signal);
  if (offer === 'unchanged') return { outcome: state.held === null ? 'unchanged' : 'held' };
  const cached = offer.fingerprint === null ? undefined : cachedRefusal(context, source, offer.fingerprint);
  if (cached !== undefined) return cached;
  try {
    refuseAnnounced(offer, context.settings);
    return await installOffer(source, offer, { ...context, known });
  } catch (error) {
    if (!(error instanceof BundleRefusedError)) throw error;
    return cacheRefusal(context, source, offer.fingerprint, error);
  }
}

/** Announced values are sufficient to skip a bundle, but never to accept one. */
function refuseAnnounced(offer: Offer, { version, sha256 }: ExportSettings): void {
  if (version !== null && offer.version !== undefined && offer.version !== version) {
    const found = offer.version === null ? 'It has none' : `It is "${offer.version}"`;
    throw new BundleRefusedError('wrong_version', `${found}, not "${version}".`);
  }
  if (sha256 !== null && offer.sha256 !== null && offer.sha256 !== sha256)
    throw new BundleRefusedError('wrong_hash', `It is ${offer.sha256}.`);
}

async function installOffer(
  source: KeyedSource,
  offer: Offer,
  context: RefreshContext & { known: string | null },
): Promise<RefreshResult> {
  const { store, settings, signal } = context;
  const installation = {
    expectations: expectationsOf(settings),
    contentKey: settings.contentKey,
    takenFrom: { source: source.key, fingerprint: offer.fingerprint },
    signal,
  };
  const twin = (await store.releases()).find((release) => isSame(release, offer, source));
  if (twin !== undefined) {
    const state = await store.state();
    if (isHeldAgainst(state, twin.manifestSha256)) {
      const name = offer.fingerprint ?? `sha256:${twin.archiveSha256}`;
      await store.change((before) => taken(before, source.key, name), signal);
      return { outcome: 'held' };
    }
    return outcomeOf(await reinstall(store, twin, installation));
  }
  const folder = store.newWork('download');
  await mkdir(folder);
  try {
    store.onStep('download begun');
    const arrival = { origin: source.origin, jobId: offer.jobId };
    const byDelta = await tryDelta(offer, folder, context, (file) =>
      install(store, { ...arrival, file, fingerprint: offer.fingerprint }, installation),
    );
    if (byDelta !== undefined) return outcomeOf(byDelta);
    const file = await offer.fetch(folder, signal);
    store.onStep('downloaded');
    const fingerprint = offer.fingerprint ?? `sha256:${await sha256Of(file)}`;
    if (fingerprint === context.known) return { outcome: 'unchanged' };
    const cached = cachedRefusal(context, source, fingerprint);
    if (cached !== undefined) return cached;
    const takenFrom = { source: source.key, fingerprint };
    return await install(store, { ...arrival, file, fingerprint }, { ...installation, takenFrom }).then(
      outcomeOf,
      (error: unknown) => {
        if (error instanceof BundleRefusedError) return cacheRefusal(context, source, fingerprint, error);
        throw error;
      },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Undefined without a usable delta; then the full bundle decides. */
async function tryDelta(
  offer: Offer,
  folder: string,
  { store, settings, signal }: RefreshContext,
  installFile: (file: string) => Promise<Installed>,
): Promise<Installed | undefined> {
  // The expected hash applies to the archive only.
  if (offer.fetchDelta === undefined || settings.sha256 !== null) return undefined;
  const since = await installedExport(store);
  if (since === undefined || since === offer.jobId) return undefined;
  const file = await offer.fetchDelta(since, folder, signal);
  if (file === undefined) return undefined;
  store.onStep('downloaded');
  try {
    return await installFile(file);
  } catch (error) {
    if (error instanceof BundleRefusedError) return undefined;
    throw error;
  }
}

/** The served release, otherwise the newest. */
async function installedExport(store: ReleaseStore): Promise<string | undefined> {
  const { current } = await store.state();
  const releases = await store.releases();
  const served = releases.find(({ id }) => id === current);
  return [served, ...releases].find((release) => (release?.jobId ?? null) !== null)?.jobId ?? undefined;
}

function isSame(release: ReleaseRecord, offer: Offer, source: Source): boolean {
  if (offer.sha256 !== null && release.archiveSha256 === offer.sha256) return true;
  return (
    offer.fingerprint !== null &&
    release.fingerprint === offer.fingerprint &&
    release.origin === source.origin
  );
}

function outcomeOf(installed: Installed): RefreshResult {
  if (installed.outcome === 'switched') return { outcome: 'installed', installed };
  return { outcome: installed.outcome === 'held' ? 'held' : 'unchanged' };
}

function cachedRefusal(
  { refused }: RefreshContext,
  source: KeyedSource,
  fingerprint: string,
): RefreshResult | undefined {
  const refusal = refused.get(`${source.key} ${fingerprint}`);
  return refusal === undefined ? undefined : { outcome: 'refused', refusal, isNews: false };
}

const maxRefusals = 1000;

function cacheRefusal(
  { refused }: RefreshContext,
  source: KeyedSource,
  fingerprint: string | null,
  refusal: BundleRefusedError,
): RefreshResult {
  if (refused.size >= maxRefusals) refused.clear();
  if (fingerprint !== null) refused.set(`${source.key} ${fingerprint}`, refusal);
  return { outcome: 'refused', refusal, isNews: true };
}

export function expectationsOf({ version, sha256, publicKeys }: ExportSettings): Expectations {
  return {
    ...(version === null ? {} : { version }),
    ...(sha256 === null ? {} : { sha256 }),
    ...(publicKeys.length === 0 ? {} : { publicKeys }),
  };
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
