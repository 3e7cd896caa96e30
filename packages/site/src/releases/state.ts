/**
 * `current.json`: which release is served, what was served before, and what was last taken from where. All of it pure but
 * the reading; only the store writes it.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { DataFolderError } from '../errors.ts';
import type { ReleaseRecord } from './release.ts';

export const stateName = 'current.json';

const State = z.object({
  format: z.literal(1),
  /** Of the newest release that was ever added. */
  sequence: z.int().min(0),
  current: z.string().nullable(),
  /** What was served before, oldest first. A roll back takes from its end. */
  history: z.array(z.string()),
  /**
   * By source: what it called the content that was last taken from it. As long as it offers that, there is nothing to do,
   * whatever is served: so neither a roll back nor an import is undone by the next look.
   */
  taken: z.record(z.string(), z.string()),
  /** Set by a roll back, until something else is installed. */
  held: z
    .object({
      at: z.iso.datetime(),
      from: z.string(),
      /** Manifests that were rolled back and are not taken again by themselves. */
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

/** Throws a sentence for people when the file is there and makes no sense. */
export async function readState(folder: string): Promise<State> {
  const file = join(folder, stateName);
  try {
    return State.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return emptyState;
    throw new DataFolderError(
      `${file} cannot be understood. Put it back as it was, or remove it and name a release with docyard site rollback.`,
    );
  }
}

/** A release that was installed, or is there already, takes the place of the one that is served. */
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

/**
 * Sources that the settings no longer name are forgotten. Whoever changes what is wanted wants it, also after a roll back,
 * and whoever changes it back wants that.
 */
export function wantingOnly(state: State, sources: readonly string[]): State {
  const kept = Object.entries(state.taken).filter(([source]) => sources.includes(source));
  if (kept.length === Object.keys(state.taken).length) return state;
  return { ...state, taken: Object.fromEntries(kept), held: null };
}

export class NoSuchRelease extends Error {
  override name = 'NoSuchRelease';
}

/** Goes back to the release before, or to the named one: `r7` is enough. */
export function rolledBack(
  state: State,
  releases: readonly ReleaseRecord[],
  options: { to: string | undefined; at: string },
): State {
  const history = state.history.filter((id) => releases.some((release) => release.id === id));
  const target = options.to === undefined ? history.at(-1) : named(releases, options.to);
  if (target === undefined) {
    throw new NoSuchRelease(
      'There is no earlier release to go back to. docyard site releases lists what is there.',
    );
  }
  if (target === state.current) throw new NoSuchRelease(`${target} is the release that is served.`);
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

/** Was this rolled back, so that it is not to come again by itself? */
export function isHeldAgainst({ held }: State, manifestSha256: string): boolean {
  return held?.against.includes(manifestSha256) === true;
}

/** What the sources offer counts again, even when it was rolled back. */
export function resumed(state: State): State {
  return { ...state, held: null, taken: {} };
}

function named(releases: readonly ReleaseRecord[], name: string): string {
  const found = releases.find(({ id }) => id === name || id.startsWith(`${name}-`));
  if (found !== undefined) return found.id;
  const known = releases.map(({ id }) => id).join(', ') || 'none';
  throw new NoSuchRelease(`There is no release ${name}. Installed: ${known}.`);
}
