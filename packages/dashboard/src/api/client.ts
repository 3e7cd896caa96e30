/** The API client with the session of this browser, and the query cache. */
import { DocyardClient, DocyardError } from '@docyard/api';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { markDialogsSaved } from '../edits/dialog-edits.ts';
import { isTransient, noticeServerAway, onServerReturn } from './server-watch.ts';

const baseUrl = globalThis.location.origin;

export const client = new DocyardClient({ baseUrl, tries: 2 });

/** For sign-in forms, which must show a refusal immediately. */
export const impatientClient = new DocyardClient({ baseUrl, tries: 1 });

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      noticeOutage(error);
      // `me` is the query that detects the end of a session.
      if (queryKey[0] !== 'me') noticeEndOfSession(error);
    },
  }),
  mutationCache: new MutationCache({
    onSuccess: markDialogsSaved,
    onError: (error) => {
      // A server that refuses work can be reached.
      if (!(error instanceof DocyardError) || error.code === 'unknown') noticeOutage(error);
      noticeEndOfSession(error);
    },
  }),
  defaultOptions: {
    queries: {
      // The server may run on this machine, so requests are sent even when the browser is offline.
      networkMode: 'always',
      staleTime: 5000,
      refetchOnWindowFocus: true,
      // The client retries already.
      retry: false,
    },
    mutations: { networkMode: 'always' },
  },
});

function noticeOutage(error: unknown): void {
  if (isTransient(error)) noticeServerAway();
}

onServerReturn(async () => {
  await queries.refetchQueries({ type: 'active' });
  const shown = queries.getQueryCache().findAll({ type: 'active' });
  return !shown.some(({ state }) => state.status === 'error' && isTransient(state.error));
});

function noticeEndOfSession(error: unknown): void {
  if (error instanceof DocyardError && error.code === 'unauthorized') checkSession();
}

export function checkSession(): void {
  void queries.invalidateQueries({ queryKey: ['me'] });
}

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
