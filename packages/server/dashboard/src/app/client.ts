/** The typed client with the session of this browser, and how its answers are kept for a moment. */
import { DocyardClient, DocyardError } from '@docyard/api';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';

const baseUrl = globalThis.location.origin;

export const client = new DocyardClient({ baseUrl, tries: 2 });

/** For what whoever waits wants to hear at once: that a password was wrong, or how long to wait before the next. */
export const impatientClient = new DocyardClient({ baseUrl, tries: 1 });

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      // What is asked to find out about the session has found out.
      if (queryKey[0] !== 'me') noticeEndOfSession(error);
    },
  }),
  mutationCache: new MutationCache({ onError: noticeEndOfSession }),
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
