/** Protects unsaved edits from navigation and from closing the page. */
import { useEffect, useRef, useSyncExternalStore } from 'react';

interface Guard {
  place: Place;
  isDirty: () => boolean;
  isDiscarded: boolean;
}

/** Closing a dialog without leaving the screen needs no confirmation here: dialogs ask themselves. */
type Place = 'page' | 'dialog';

const guards = new Set<Guard>();

function hasUnsavedEdits(places: readonly Place[] = ['page', 'dialog']): boolean {
  return [...guards].some(
    ({ place, isDiscarded, isDirty }) => places.includes(place) && !isDiscarded && isDirty(),
  );
}

/** Call it when a form is saved or its record is deleted: the next navigation then needs no confirmation. */
export function discardEdits(): void {
  for (const guard of guards) guard.isDiscarded = true;
}

export function useUnsavedEdits(isDirty: () => boolean, place: Place = 'page'): void {
  const current = useRef(isDirty);
  current.current = isDirty;
  useEffect(() => {
    const guard: Guard = { place, isDirty: () => current.current(), isDiscarded: false };
    guards.add(guard);
    return () => void guards.delete(guard);
  }, [place]);
}

/** The navigation that waits for confirmation. */
let pendingLeave: (() => void) | undefined;
const listeners = new Set<() => void>();

function setPendingLeave(leave: (() => void) | undefined): void {
  pendingLeave = leave;
  for (const listener of listeners) listener();
}

export function usePendingLeave() {
  const leave = useSyncExternalStore(subscribe, () => pendingLeave);
  return {
    isAsked: leave !== undefined,
    stay: () => setPendingLeave(undefined),
    discard: () => {
      discardEdits();
      setPendingLeave(undefined);
      leave?.();
    },
  };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

type Navigate<Options> = (to: string, options?: Options) => void;

/** Numbers the history entries so that a back or forward navigation can be reverted. */
let entry = entryOf(globalThis.history.state);

function entryOf(state: unknown): number {
  const { entry: number } = (state ?? {}) as { entry?: unknown };
  return typeof number === 'number' ? number : 0;
}

export function guardNavigation<Options extends { replace?: boolean }>(
  navigate: Navigate<Options>,
  to: string,
  options?: Options,
): void {
  const go = () => {
    if (options?.replace !== true) entry += 1;
    navigate(to, { ...options, state: { entry } } as unknown as Options);
  };
  const staysHere = to.split('?')[0] === globalThis.location.pathname;
  if (hasUnsavedEdits(staysHere ? ['page'] : undefined)) setPendingLeave(go);
  else go();
}

let takesBack: (() => void) | undefined;

function onPopState(event: PopStateEvent): void {
  const arrived = entryOf(event.state);
  if (takesBack !== undefined) {
    event.stopImmediatePropagation();
    takesBack();
    takesBack = undefined;
    return;
  }
  if (!hasUnsavedEdits()) {
    entry = arrived;
    return;
  }
  event.stopImmediatePropagation();
  const steps = arrived === entry ? -1 : arrived - entry;
  takesBack = () => setPendingLeave(() => globalThis.history.go(steps));
  globalThis.history.go(-steps);
}

/** Call it before the first render: the router must not see a navigation that is reverted. */
export function protectUnsavedEdits(): void {
  addEventListener('popstate', onPopState);
  addEventListener('beforeunload', (event) => {
    if (hasUnsavedEdits()) event.preventDefault();
  });
}
