/** Selects a project with a server-side search. */
import type { Project } from '@docyard/api';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { client } from '../../api/client.ts';
import { Combobox, type ComboboxOption } from '../../parts/combobox.tsx';
import { useDebounced } from '../../parts/use-debounced.ts';
import { useProject } from './use-projects.ts';

interface ProjectPickerProps {
  label?: string;
  quiet?: boolean;
  hint?: ReactNode;
  error?: string | undefined;
  value: string;
  onChange: (projectId: string, project: Project | undefined) => void;
  /** The label for no project, such as `Every project`. Omit it when a project is required. */
  none?: string;
}

const shownAtOnce = 20;

export function ProjectPicker(props: ProjectPickerProps) {
  const { label = 'Project', value, onChange, none, ...field } = props;
  const queries = useQueryClient();
  const [search, setSearch] = useState('');
  const searchText = useDebounced(search.trim(), 150);
  const found = useQuery({
    queryKey: ['projects', 'search', searchText],
    queryFn: () =>
      client.call('listProjects', {
        query: { limit: shownAtOnce, sort: 'name', ...(searchText === '' ? {} : { q: searchText }) },
      }),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  const project = useProject(value);
  const projects = found.data?.data ?? [];
  const noProject = none === undefined || searchText !== '' ? [] : [{ value: '', label: none }];
  return (
    <Combobox
      {...field}
      label={label}
      chosen={value === '' ? chosenNone(none) : { value, label: project.data?.name ?? value }}
      options={[...noProject, ...projects.map(optionOf)]}
      search={search}
      onSearch={setSearch}
      onChoose={(id) => {
        const picked = projects.find((each) => each.id === id);
        if (picked !== undefined) queries.setQueryData(['project', id], picked);
        onChange(id, picked);
      }}
      placeholder="Choose a project"
      busy={found.isFetching}
      foot={footOf(found, searchText)}
    />
  );
}

function chosenNone(none: string | undefined): ComboboxOption | undefined {
  return none === undefined ? undefined : { value: '', label: none };
}

function optionOf({ id, name, domain }: Project): ComboboxOption {
  return { value: id, label: name, hint: domain };
}

interface Found {
  isPending: boolean;
  isError: boolean;
  data?: { data: Project[]; nextCursor: string | null } | undefined;
}

function footOf({ isPending, isError, data }: Found, searchText: string): string | undefined {
  if (isError) return 'The projects cannot be read now.';
  if (isPending) return 'Searching…';
  if (data?.data.length === 0)
    return searchText === '' ? 'There is no project yet.' : `No project matches “${searchText}”.`;
  return data?.nextCursor === null ? undefined : 'More projects exist. Type to search by name, domain or id.';
}
