/** The typed client with the session of this browser, and how its answers are kept for a moment. */
import { DocyardClient, DocyardError } from '@docyard/api';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { markDialogsSaved } from '../edits/dialog-edits.ts';
import { isPassing, noticeServerAway, onServerReturn } from './server-watch.ts';

const baseUrl = globalThis.location.origin;

export const client = new DocyardClient({ baseUrl, tries: 2 });

/** For what whoever waits wants to hear at once: that a password was wrong, or how long to wait before the next. */
export const impatientClient = new DocyardClient({ baseUrl, tries: 1 });

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      noticeOutage(error);
      // What is asked to find out about the session has found out.
      if (queryKey[0] !== 'me') noticeEndOfSession(error);
    },
  }),
  mutationCache: new MutationCache({
    onSuccess: markDialogsSaved,
    onError: (error) => {
      // A server that refuses work for now is there.
      if (!(error instanceof DocyardError) || error.code === 'unknown') noticeOutage(error);
      noticeEndOfSession(error);
    },
  }),
  defaultOptions: {
    queries: {
      // The server may be on this very machine. Where it cannot be reached, that is said, and not waited out in silence.
      networkMode: 'always',
      staleTime: 5000,
      refetchOnWindowFocus: true,
      // The client has tried again where that can help.
      retry: false,
    },
    mutations: { networkMode: 'always' },
  },
});

function noticeOutage(error: unknown): void {
  if (isPassing(error)) noticeServerAway();
}

/** Reads again what is on the screen, and tells whether the server could answer it. */
onServerReturn(async () => {
  await queries.refetchQueries({ type: 'active' });
  const shown = queries.getQueryCache().findAll({ type: 'active' });
  return !shown.some(({ state }) => state.status === 'error' && isPassing(state.error));
});

function noticeEndOfSession(error: unknown): void {
  if (error instanceof DocyardError && error.code === 'unauthorized') checkSession();
}

/** Whoever was signed out elsewhere is asked to sign in again, and then finds the same screen. */
export function checkSession(): void {
  void queries.invalidateQueries({ queryKey: ['me'] });
}

/** What a person can be told about anything that was thrown. */
export function problemOf(error: unknown): {
  message: string;
  requestId: string | undefined;
  status: number;
} {
  if (error instanceof DocyardError)
    return { message: error.message, requestId: error.requestId, status: error.status };
  const message = 'The server cannot be reached. Check that it runs and that this browser is online.';
  return { message, requestId: undefined, status: 0 };
}
