/**
 * One look at one source, and what comes of it: nothing new, a new release, or a refusal that is remembered, so that the
 * same bad bundle is neither fetched nor told of again.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { BundleRefused, type Expectations } from '@docyard/bundle';
import { install, reinstall, type Installed } from '../releases/install.ts';
import type { ReleaseRecord } from '../releases/release.ts';
import type { ExportSettings } from '../settings/settings.ts';
import type { Offer, Source } from '../sources/source.ts';
import { isHeldAgainst, taken } from '../releases/state.ts';
import type { ReleaseStore } from '../releases/store.ts';

export interface KeyedSource extends Source {
  /** Names the source and everything that is expected of what it has, so that another expectation is another look. */
  key: string;
}

export type RefreshResult =
  | { outcome: 'unchanged' | 'held' }
  | { outcome: 'installed'; installed: Installed }
  /** `isNews` the first time. */
  | { outcome: 'refused'; refusal: BundleRefused; isNews: boolean };

export interface RefreshContext {
  store: ReleaseStore;
  settings: ExportSettings;
  /** By source and fingerprint: what was refused since the settings last changed. */
  refused: Map<string, BundleRefused>;
  signal: AbortSignal;
}

export async function refreshSource(source: KeyedSource, context: RefreshContext): Promise<RefreshResult> {
  const { store, signal } = context;
  const state = await store.state();
  const known = state.taken[source.key] ?? null;
  const offer = await source.look(known, signal);
  if (offer === 'unchanged') return { outcome: state.held === null ? 'unchanged' : 'held' };
  const remembered = offer.fingerprint === null ? undefined : recall(context, source, offer.fingerprint);
  if (remembered !== undefined) return remembered;
  try {
    refuseBeforehand(offer, context.settings);
    return await installOffer(source, offer, { ...context, known });
  } catch (error) {
    if (!(error instanceof BundleRefused)) throw error;
    return remember(context, source, offer.fingerprint, error);
  }
}

/** What the origin says of a bundle is enough to leave it; it is never enough to use it. */
function refuseBeforehand(offer: Offer, { version, sha256 }: ExportSettings): void {
  if (version !== null && offer.version !== undefined && offer.version !== version) {
    const found = offer.version === null ? 'It has none' : `It is "${offer.version}"`;
    throw new BundleRefused('wrong_version', `${found}, not "${version}".`);
  }
  if (sha256 !== null && offer.sha256 !== null && offer.sha256 !== sha256)
    throw new BundleRefused('wrong_hash', `It is ${offer.sha256}.`);
}

async function installOffer(
  source: KeyedSource,
  offer: Offer,
  context: RefreshContext & { known: string | null },
): Promise<RefreshResult> {
  const { store, settings, signal } = context;
  const installation = {
    expectations: expectationsOf(settings),
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
    const remembered = recall(context, source, fingerprint);
    if (remembered !== undefined) return remembered;
    const takenFrom = { source: source.key, fingerprint };
    return await install(store, { ...arrival, file, fingerprint }, { ...installation, takenFrom }).then(
      outcomeOf,
      (error: unknown) => {
        if (error instanceof BundleRefused) return remember(context, source, fingerprint, error);
        throw error;
      },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Undefined when there is none, or what came of it is no bundle: then the whole one decides. */
async function tryDelta(
  offer: Offer,
  folder: string,
  { store, settings, signal }: RefreshContext,
  installFile: (file: string) => Promise<Installed>,
): Promise<Installed | undefined> {
  // A hash of the archive can only be compared with the archive.
  if (offer.fetchDelta === undefined || settings.sha256 !== null) return undefined;
  const since = await exportWeHave(store);
  if (since === undefined || since === offer.jobId) return undefined;
  const file = await offer.fetchDelta(since, folder, signal);
  if (file === undefined) return undefined;
  store.onStep('downloaded');
  try {
    return await installFile(file);
  } catch (error) {
    if (error instanceof BundleRefused) return undefined;
    throw error;
  }
}

/** What is served, or else the newest. */
async function exportWeHave(store: ReleaseStore): Promise<string | undefined> {
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

function recall(
  { refused }: RefreshContext,
  source: KeyedSource,
  fingerprint: string,
): RefreshResult | undefined {
  const refusal = refused.get(`${source.key} ${fingerprint}`);
  return refusal === undefined ? undefined : { outcome: 'refused', refusal, isNews: false };
}

const maxRefusals = 1000;

function remember(
  { refused }: RefreshContext,
  source: KeyedSource,
  fingerprint: string | null,
  refusal: BundleRefused,
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
