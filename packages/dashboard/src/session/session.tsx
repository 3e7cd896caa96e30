/** The signed-in user and their permissions. The server enforces them. */
import { scopesGrant, type Me, type Scope } from '@docyard/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, use, useEffect, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Problem } from '../parts/problem.tsx';
import { client, problemOf } from '../api/client.ts';
import { announceSession } from './session-channel.ts';
import { discardEdits } from '../edits/unsaved-edits.ts';

const SessionContext = createContext<Me | undefined>(undefined);

export function useSession(): Me {
  const session = use(SessionContext);
  if (session === undefined) throw new Error('useSession needs a signed-in user.');
  return session;
}

export function useMay(scope: Scope): boolean {
  const { scopes } = useSession();
  const hasExports = useHasExports();
  return scopesGrant(scopes, scope) && (hasExports || !scope.startsWith('exports:'));
}

/** Only the enterprise plan includes static exports. */
export function useHasExports(): boolean {
  return useSession().organization.plan === 'enterprise';
}

export function SignedIn({ children }: { children: ReactNode }) {
  const [path] = useLocation();
  const me = useMe();
  if (me.isPending) return null;
  if (me.isError && problemOf(me.error).status === 401) {
    const here = path + globalThis.location.search;
    const ended = me.data === undefined ? '' : '&ended=1';
    return <SessionEnd signIn={`/login?to=${encodeURIComponent(here)}${ended}`} />;
  }
  // Keep showing the last known session while the server cannot be reached.
  if (me.data !== undefined) return <SessionContext value={me.data}>{children}</SessionContext>;
  return (
    <div className="gate">
      <Problem error={me.error} retry={() => void me.refetch()} />
    </div>
  );
}

export function useMe() {
  return useQuery({ queryKey: ['me'], queryFn: () => client.call('readMe'), staleTime: 60_000 });
}

function SessionEnd({ signIn }: { signIn: string }) {
  const queries = useQueryClient();
  const [, go] = useLocation();
  useEffect(() => {
    discardEdits();
    queries.clear();
    go(signIn, { replace: true });
  }, [queries, go, signIn]);
  return null;
}

export function useSignOut() {
  const queries = useQueryClient();
  const [, go] = useLocation();
  return useMutation({
    mutationFn: () => client.call('signOut'),
    onSettled: () => {
      announceSession('signed-out');
      discardEdits();
      go('/login');
      queries.clear();
    },
  });
}
