import type { Project } from '@docyard/api';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { client } from '../../api/client.ts';

export function useProject(projectId: string) {
  return useQuery({
    queryKey: ['project', projectId],
    queryFn: () => client.call('readProject', { params: { projectId } }),
    enabled: projectId !== '',
    staleTime: 30_000,
  });
}

export function useProjectOfDomain(domain: string | null) {
  return useQuery({
    queryKey: ['projects', 'domain', domain],
    queryFn: async (): Promise<Project | null> => {
      const { data } = await client.call('listProjects', { query: { domain: domain ?? '', limit: 1 } });
      return data[0] ?? null;
    },
    enabled: domain !== null,
    staleTime: 30_000,
  });
}

/** Whether a form needs a project picker: none, one or several projects. */
export function useFirstProjects() {
  return useQuery({
    queryKey: ['projects', 'first'],
    queryFn: async () => (await client.call('listProjects', { query: { limit: 2 } })).data,
    staleTime: 30_000,
  });
}

const maxIdsAtOnce = 100;

export function useProjectNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const uniqueIds = [...new Set(ids)].toSorted();
  const names = useQuery({
    queryKey: ['projects', 'names', uniqueIds],
    queryFn: async () => {
      const parts = Array.from({ length: Math.ceil(uniqueIds.length / maxIdsAtOnce) }, (_, part) =>
        uniqueIds.slice(part * maxIdsAtOnce, (part + 1) * maxIdsAtOnce).join(','),
      );
      const pages = await Promise.all(
        parts.map((part) => client.call('listProjects', { query: { ids: part, limit: maxIdsAtOnce } })),
      );
      return pages.flatMap(({ data }) => data.map(({ id, name }) => [id, name] as const));
    },
    enabled: uniqueIds.length > 0,
    staleTime: 60_000,
    placeholderData: (before) => before,
  });
  return useMemo(() => new Map(names.data), [names.data]);
}
