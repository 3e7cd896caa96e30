/** Chooses one of any number of projects: the server searches, and what is chosen is resolved by its id. */
import type { Project } from '@docyard/api';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { client } from '../../api/client.ts';
import { Combobox, type ComboboxOption } from '../../parts/combobox.tsx';
import { useDebounced } from '../../parts/debounced.ts';
import { useProject } from './use-projects.ts';

interface ProjectPickerProps {
  label?: string;
  quiet?: boolean;
  hint?: ReactNode;
  error?: string | undefined;
  /** The id of the chosen project; empty for none. */
  value: string;
  onChange: (projectId: string, project: Project | undefined) => void;
  /** What no project means, such as `Every project`. Left out where one must be chosen. */
  none?: string;
}

const shownAtOnce = 20;

export function ProjectPicker(props: ProjectPickerProps) {
  const { label = 'Project', value, onChange, none, ...field } = props;
  const queries = useQueryClient();
  const [search, setSearch] = useState('');
  const wanted = useDebounced(search.trim(), 150);
  const found = useQuery({
    queryKey: ['projects', 'search', wanted],
    queryFn: () =>
      client.call('listProjects', {
        query: { limit: shownAtOnce, sort: 'name', ...(wanted === '' ? {} : { q: wanted }) },
      }),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  const project = useProject(value);
  const projects = found.data?.data ?? [];
  const noProject = none === undefined || wanted !== '' ? [] : [{ value: '', label: none }];
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
        // Its name is known already and shows at once.
        if (picked !== undefined) queries.setQueryData(['project', id], picked);
        onChange(id, picked);
      }}
      placeholder="Choose a project"
      busy={found.isFetching}
      foot={footOf(found, wanted)}
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

function footOf({ isPending, isError, data }: Found, wanted: string): string | undefined {
  if (isError) return 'The projects cannot be read now.';
  if (isPending) return 'Searching…';
  if (data?.data.length === 0)
    return wanted === '' ? 'There is no project yet.' : `No project matches “${wanted}”.`;
  return data?.nextCursor === null ? undefined : 'There are more. Type to search by name, domain or id.';
}
