/**
 * `current.json`: the served release, the history, and the last fingerprint of each source. Pure except for
 * reading; only the store writes it.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { DataFolderError } from '../errors.ts';
import type { ReleaseRecord } from './release.ts';

export const stateName = 'current.json';

const State = z.object({
  format: z.literal(1),
  /** The number of the newest release. */
  sequence: z.int().min(0),
  current: z.string().nullable(),
  /** Previously served releases, oldest first. A rollback takes the last one. */
  history: z.array(z.string()),
  /**
   * The last installed fingerprint of each source. While a source offers it, nothing happens, so that neither
   * a rollback nor an import is undone by the next refresh.
   */
  taken: z.record(z.string(), z.string()),
  /** Set by a rollback until another bundle is installed. */
  held: z
    .object({
      at: z.iso.datetime(),
      from: z.string(),
      /** Manifests that were rolled back and are not installed again automatically. */
      against: z.array(z.string()),
    })
    .nullable(),
});
export type State = z.infer<typeof State>;

export const emptyState: State = {
  format: 1,
  sequence: 0,
  current: null,
  history: [],
  taken: {},
  held: null,
};

const maxHistory = 50;
const maxSources = 20;

/** Throws a readable message when the file is invalid. */
export async function readState(folder: string): Promise<State> {
  const file = join(folder, stateName);
  try {
    return State.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return emptyState;
    throw new DataFolderError(
      `${file} is invalid. Restore it, or delete it and choose a release with docyard site rollback.`,
    );
  }
}

export function switched(state: State, id: string): State {
  const history =
    state.current === null || state.current === id ? state.history : [...state.history, state.current];
  return { ...state, current: id, history: history.slice(-maxHistory), held: null };
}

export function taken(state: State, source: string, fingerprint: string): State {
  const { [source]: _before, ...others } = state.taken;
  const newest = [...Object.entries(others), [source, fingerprint] as const].slice(-maxSources);
  return { ...state, taken: Object.fromEntries(newest) };
}

/** Forgets sources that are no longer configured. A changed configuration ends a rollback. */
export function wantingOnly(state: State, sources: readonly string[]): State {
  const kept = Object.entries(state.taken).filter(([source]) => sources.includes(source));
  if (kept.length === Object.keys(state.taken).length) return state;
  return { ...state, taken: Object.fromEntries(kept), held: null };
}

export class ReleaseNotFoundError extends Error {
  override name = 'ReleaseNotFoundError';
}

/** Rolls back to the previous release, or to the named one: `r7` is enough. */
export function rolledBack(
  state: State,
  releases: readonly ReleaseRecord[],
  options: { to: string | undefined; at: string },
): State {
  const history = state.history.filter((id) => releases.some((release) => release.id === id));
  const target = options.to === undefined ? history.at(-1) : named(releases, options.to);
  if (target === undefined) {
    throw new ReleaseNotFoundError(
      'There is no earlier release to roll back to. List releases with docyard site releases.',
    );
  }
  if (target === state.current) throw new ReleaseNotFoundError(`${target} is the release that is served.`);
  const place = history.lastIndexOf(target);
  const left = [...(place === -1 ? [] : history.slice(place + 1)), state.current];
  const wanted = releases.find(({ id }) => id === target)?.manifestSha256;
  const against = releases.filter(({ id }) => left.includes(id)).map(({ manifestSha256 }) => manifestSha256);
  return {
    ...state,
    current: target,
    history:
      place === -1
        ? [...history, ...(state.current === null ? [] : [state.current])]
        : history.slice(0, place),
    held: {
      at: options.at,
      from: state.current ?? '',
      against: [...new Set([...(state.held?.against ?? []), ...against])].filter(
        (sha256) => sha256 !== wanted,
      ),
    },
  };
}

export function isHeldAgainst({ held }: State, manifestSha256: string): boolean {
  return held?.against.includes(manifestSha256) === true;
}

/** Ends a rollback, so that sources may provide the same bundle again. */
export function resumed(state: State): State {
  return { ...state, held: null, taken: {} };
}

function named(releases: readonly ReleaseRecord[], name: string): string {
  const found = releases.find(({ id }) => id === name || id.startsWith(`${name}-`));
  if (found !== undefined) return found.id;
  const known = releases.map(({ id }) => id).join(', ') || 'none';
  throw new ReleaseNotFoundError(`There is no release ${name}. Installed: ${known}.`);
}
