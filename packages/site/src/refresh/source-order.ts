/**
 * Decides which source is used. `refreshFrom` comes first; `bundleUrl` is the initial bundle as long as
 * `refreshFrom` has none that may be served.
 */
import { createHash } from 'node:crypto';
import type { ExportSettings } from '../settings/settings.ts';
import { openSource } from '../sources/open.ts';
import { SourceError } from '../sources/source.ts';
import { wantingOnly } from '../releases/state.ts';
import {
  refreshSource,
  type RefreshResult,
  type RefreshContext,
  type KeyedSource,
} from './refresh-source.ts';

type Sources =
  | { bundle: KeyedSource; refresh: KeyedSource | undefined }
  | { bundle: undefined; refresh: KeyedSource };

/** Undefined without a source. */
export function sourcesOf(settings: ExportSettings): Sources | undefined {
  const { enabled, bundleUrl, refreshFrom } = settings;
  if (!enabled) return undefined;
  const bundle = bundleUrl === null ? undefined : open(bundleUrl, settings);
  const refresh = refreshFrom === null ? undefined : open(refreshFrom, settings);
  if (bundle !== undefined) return { bundle, refresh };
  return refresh === undefined ? undefined : { bundle, refresh };
}

function open(address: string, settings: ExportSettings): KeyedSource {
  const { apiKey, offline, version, sha256, publicKeys } = settings;
  const source = openSource(address, { apiKey, offline });
  const expected = JSON.stringify([source.origin, version, sha256, publicKeys.map(({ keyId }) => keyId)]);
  const key = createHash('sha256').update(expected).digest('hex').slice(0, 16);
  return { ...source, key };
}

/** Events that do not end the refresh. */
export type RefreshEvent =
  | { what: 'link spent' }
  | { what: 'refreshFrom failed'; error: Error }
  | { what: 'refreshFrom refused'; taken: Extract<RefreshResult, { outcome: 'refused' }> };

export async function refreshSources(
  { bundle, refresh }: Sources,
  context: RefreshContext,
  onEvent: (happened: RefreshEvent) => void,
): Promise<RefreshResult> {
  const { store, signal } = context;
  const keys = [bundle?.key, refresh?.key].filter((key) => key !== undefined);
  const state = await store.change((before) => wantingOnly(before, keys), signal);
  if (bundle === undefined) return refreshSource(refresh, context);
  if (refresh !== undefined) {
    const newer = await refreshSource(refresh, context).catch((error: unknown) => error as Error);
    signal.throwIfAborted();
    const isNothing = newer instanceof Error || newer.outcome === 'refused';
    // An old link must not bring back old content while the other source is unreachable.
    if (!isNothing || (await servesExpectedRelease(context))) return orThrow(newer);
    if (newer instanceof Error) onEvent({ what: 'refreshFrom failed', error: newer });
    else if (newer.outcome === 'refused') onEvent({ what: 'refreshFrom refused', taken: newer });
  }
  return refreshSource(bundle, context).catch((error: unknown) => {
    // The link has expired after its bundle was installed, so nothing is newer.
    const isSpent = error instanceof SourceError && error.failure === 'link_expired';
    if (!isSpent || !Object.hasOwn(state.taken, bundle.key)) throw error;
    onEvent({ what: 'link spent' });
    return { outcome: 'unchanged' };
  });
}

function orThrow(result: RefreshResult | Error): RefreshResult {
  if (result instanceof Error) throw result;
  return result;
}

async function servesExpectedRelease({ store, settings }: RefreshContext): Promise<boolean> {
  const { current } = await store.state();
  const served = (await store.releases()).find(({ id }) => id === current);
  if (served === undefined) return false;
  const { version, sha256 } = settings;
  return (
    (version === null || served.version === version) && (sha256 === null || served.archiveSha256 === sha256)
  );
}
