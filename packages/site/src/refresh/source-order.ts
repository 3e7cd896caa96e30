/**
 * Which source is asked for what the settings want. With two, the place for newer bundles comes first; the bundle that was
 * named is the one to begin with, as long as that place has none that may be served.
 */
import { createHash } from 'node:crypto';
import type { ExportSettings } from '../settings/settings.ts';
import { openSource } from '../sources/open.ts';
import { SourceError } from '../sources/source.ts';
import { wantingOnly } from '../releases/state.ts';
import { takeFrom, type Taken, type Taking, type WantedSource } from './refresh-source.ts';

type Wanted =
  | { bundle: WantedSource; refresh: WantedSource | undefined }
  | { bundle: undefined; refresh: WantedSource };

/** Undefined when there is nothing to ask. */
export function wantedOf(settings: ExportSettings): Wanted | undefined {
  const { enabled, bundleUrl, refreshFrom } = settings;
  if (!enabled) return undefined;
  const bundle = bundleUrl === null ? undefined : open(bundleUrl, settings);
  const refresh = refreshFrom === null ? undefined : open(refreshFrom, settings);
  if (bundle !== undefined) return { bundle, refresh };
  return refresh === undefined ? undefined : { bundle, refresh };
}

function open(address: string, settings: ExportSettings): WantedSource {
  const { apiKey, offline, version, sha256, publicKeys } = settings;
  const source = openSource(address, { apiKey, offline });
  const expected = JSON.stringify([source.origin, version, sha256, publicKeys.map(({ keyId }) => keyId)]);
  const key = createHash('sha256').update(expected).digest('hex').slice(0, 16);
  return { ...source, key };
}

/** What happened on the way to an answer, and is no answer itself. */
export type OnTheWay =
  | { what: 'link spent' }
  | { what: 'refreshFrom failed'; error: Error }
  | { what: 'refreshFrom refused'; taken: Extract<Taken, { outcome: 'refused' }> };

export async function takeWanted(
  { bundle, refresh }: Wanted,
  taking: Taking,
  tell: (happened: OnTheWay) => void,
): Promise<Taken> {
  const { store, signal } = taking;
  const keys = [bundle?.key, refresh?.key].filter((key) => key !== undefined);
  const state = await store.change((before) => wantingOnly(before, keys), signal);
  if (bundle === undefined) return takeFrom(refresh, taking);
  if (refresh !== undefined) {
    const newer = await takeFrom(refresh, taking).catch((error: unknown) => error as Error);
    signal.throwIfAborted();
    const isNothing = newer instanceof Error || newer.outcome === 'refused';
    // An old link must not bring back old content whenever the other place cannot be reached for a while.
    if (!isNothing || (await servesWhatIsWanted(taking))) return orThrow(newer);
    if (newer instanceof Error) tell({ what: 'refreshFrom failed', error: newer });
    else if (newer.outcome === 'refused') tell({ what: 'refreshFrom refused', taken: newer });
  }
  return takeFrom(bundle, taking).catch((error: unknown) => {
    // A link that has done its work: that there is nothing newer is all that can be said.
    const isSpent = error instanceof SourceError && error.failure === 'link_expired';
    if (!isSpent || !Object.hasOwn(state.taken, bundle.key)) throw error;
    tell({ what: 'link spent' });
    return { outcome: 'unchanged' };
  });
}

function orThrow(result: Taken | Error): Taken {
  if (result instanceof Error) throw result;
  return result;
}

async function servesWhatIsWanted({ store, settings }: Taking): Promise<boolean> {
  const { current } = await store.state();
  const served = (await store.releases()).find(({ id }) => id === current);
  if (served === undefined) return false;
  const { version, sha256 } = settings;
  return (
    (version === null || served.version === version) && (sha256 === null || served.archiveSha256 === sha256)
  );
}
