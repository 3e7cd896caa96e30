/** Commands of the palette: screens, actions, and projects and exports that the server finds. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { useDebounced } from '../parts/use-debounced.ts';
import type { IconName } from '../parts/icons.tsx';
import { client } from '../api/client.ts';
import { useNavigation } from './navigation.ts';
import { useScheme } from './scheme.ts';
import { useMay, useSignOut } from '../session/session.tsx';

export interface Command {
  id: string;
  group: 'Projects' | 'Exports' | 'Go to' | 'Actions';
  label: string;
  hint?: string;
  icon: IconName;
  run: () => void;
}

const maxFound = 6;

export function useCommands(text: string): { commands: Command[]; isSearching: boolean } {
  const [, go] = useLocation();
  const searchText = useDebounced(text.trim(), 150);
  const { found, isSearching } = useFound(searchText);
  const { work, organization } = useNavigation();
  const actions = useActions();
  const places = [...work, ...organization].map(({ to, label, icon }): Command => ({
    id: to,
    group: 'Go to',
    label,
    icon,
    run: () => go(to),
  }));
  const fixed = [...places, ...actions].filter(({ label }) => containsWords(label, text));
  return { commands: text.trim() === '' ? fixed : [...fixed, ...found], isSearching };
}

function containsWords(label: string, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/);
  return words.every((word) => label.toLowerCase().includes(word));
}

function useActions(): Command[] {
  const [, go] = useLocation();
  const [, setScheme] = useScheme();
  const signOut = useSignOut();
  const opened: [may: boolean, label: string, icon: IconName, to: string][] = [
    [useMay('exports:write'), 'Start an export', 'play', '/exports?new=1'],
    [useMay('projects:write'), 'Create a project', 'plus', '/projects?new=1'],
    [useMay('agent:write'), 'Start an agent job', 'sparkle', '/agent?new=1'],
    [useMay('keys:write'), 'Create an API key', 'key', '/keys?new=1'],
    [useMay('webhooks:write'), 'Create a webhook', 'send', '/webhooks?new=1'],
    [useMay('users:write'), 'Invite a user', 'users', '/users?new=1'],
  ];
  const group = 'Actions' as const;
  return [
    ...opened
      .filter(([may]) => may)
      .map(([, label, icon, to]) => ({ id: to, group, label, icon, run: () => go(to) })),
    { id: 'light', group, label: 'Use light colors', icon: 'sun', run: () => setScheme('light') },
    { id: 'dark', group, label: 'Use dark colors', icon: 'moon', run: () => setScheme('dark') },
    {
      id: 'system',
      group,
      label: 'Use the colors of the system',
      icon: 'screen',
      run: () => setScheme('system'),
    },
    { id: 'sign-out', group, label: 'Sign out', icon: 'leave', run: () => signOut.mutate() },
  ];
}

function useFound(searchText: string): { found: Command[]; isSearching: boolean } {
  const [, go] = useLocation();
  const seesProjects = useMay('projects:read');
  const seesExports = useMay('exports:read');
  const query = { q: searchText, limit: maxFound };
  const projects = useQuery({
    queryKey: ['projects', 'palette', searchText],
    queryFn: () => client.call('listProjects', { query: { ...query, sort: 'name' } }),
    enabled: seesProjects && searchText !== '',
    placeholderData: keepPreviousData,
  });
  const exports = useQuery({
    queryKey: ['exports', 'palette', searchText],
    queryFn: () => client.call('listExports', { query }),
    enabled: seesExports && searchText !== '',
    placeholderData: keepPreviousData,
  });
  const found: Command[] = [
    ...(projects.data?.data ?? []).map(({ id, name, domain }): Command => {
      const run = () => go(`/projects/${id}`);
      return { id, group: 'Projects', label: name, hint: domain, icon: 'book', run };
    }),
    ...(exports.data?.data ?? []).map(({ jobId, domain, createdAt }): Command => {
      const run = () => go(`/exports/${jobId}`);
      const hint = `${jobId} · ${createdAt.slice(0, 10)}`;
      return { id: jobId, group: 'Exports', label: domain, hint, icon: 'box', run };
    }),
  ];
  return { found, isSearching: projects.isFetching || exports.isFetching };
}
