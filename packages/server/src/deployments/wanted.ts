/**
 * Which source is asked for what the settings want. With two, the bundle that was named comes first and the place for newer
 * ones from then on; when the first has nothing to give, the second stands in for it.
 */
import { createHash } from 'node:crypto';
import type { ExportSettings } from './settings.ts';
import type { OpenBucket } from './sources/bucket.ts';
import { openSource } from './sources/open.ts';
import { SourceError } from './sources/source.ts';
import { taken, wantingOnly } from './state.ts';
import { takeFrom, type Taken, type Taking, type WantedSource } from './taking.ts';

type Wanted =
  | { bundle: WantedSource; refresh: WantedSource | undefined }
  | { bundle: undefined; refresh: WantedSource };

/** Undefined when there is nothing to ask. */
export function wantedOf(settings: ExportSettings, openBucket: OpenBucket): Wanted | undefined {
  const { enabled, bundleUrl, refreshFrom } = settings;
  if (!enabled) return undefined;
  const bundle = bundleUrl === null ? undefined : open(bundleUrl, settings, openBucket);
  const refresh = refreshFrom === null ? undefined : open(refreshFrom, settings, openBucket);
  if (bundle !== undefined) return { bundle, refresh };
  return refresh === undefined ? undefined : { bundle, refresh };
}

function open(address: string, settings: ExportSettings, openBucket: OpenBucket): WantedSource {
  const { apiKey, version, sha256, publicKeys } = settings;
  const source = openSource(address, { apiKey, openBucket });
  const expected = JSON.stringify([source.origin, version, sha256, publicKeys.map(({ keyId }) => keyId)]);
  const key = createHash('sha256').update(expected).digest('hex').slice(0, 16);
  return { ...source, key };
}

/** What happened on the way to an answer, and is no answer itself. */
export type OnTheWay =
  | { what: 'link spent' }
  | { what: 'bundleUrl failed'; error: Error }
  | { what: 'bundleUrl refused'; taken: Extract<Taken, { outcome: 'refused' }> };

export async function takeWanted(
  { bundle, refresh }: Wanted,
  taking: Taking,
  tell: (happened: OnTheWay) => void,
): Promise<Taken> {
  const { store, signal } = taking;
  const keys = [bundle?.key, refresh?.key].filter((key) => key !== undefined);
  const state = await store.change((before) => wantingOnly(before, keys), signal);
  if (bundle === undefined) return takeFrom(refresh, taking);
  const isTaken = Object.hasOwn(state.taken, bundle.key);
  if (refresh === undefined) {
    return takeFrom(bundle, taking).catch((error: unknown) => {
      // It has done its work; that there is nothing newer is all that can be said.
      if (!isTaken || !(error instanceof SourceError) || error.failure !== 'link_expired') throw error;
      tell({ what: 'link spent' });
      return { outcome: 'unchanged' };
    });
  }
  if (isTaken) return takeFrom(refresh, taking);
  const first = await takeFrom(bundle, taking).catch((error: unknown) => error as Error);
  signal.throwIfAborted();
  if (first instanceof Error) tell({ what: 'bundleUrl failed', error: first });
  else if (first.outcome === 'refused') tell({ what: 'bundleUrl refused', taken: first });
  else return first;
  const second = await takeFrom(refresh, taking);
  // From now on it stands for the bundle; otherwise the old link would bring old content when it opens again.
  if (second.outcome !== 'refused')
    await store.change((before) => taken(before, bundle.key, 'through refreshFrom'), signal);
  return second;
}
