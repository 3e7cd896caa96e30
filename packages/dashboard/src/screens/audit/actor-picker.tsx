import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useMay } from '../../session/session.tsx';
import { Combobox, type ComboboxOption } from '../../parts/combobox.tsx';
import { useDebounced } from '../../parts/use-debounced.ts';
import { actorName } from './actor-name.ts';

const shownAtOnce = 10;
const everyone: ComboboxOption = { value: '', label: 'Everyone' };

interface ActorPickerProps {
  /** Empty for everyone. */
  value: string;
  name: string | null;
  onChange: (actor: string) => void;
}

export function ActorPicker({ value, name, onChange }: ActorPickerProps) {
  const [search, setSearch] = useState('');
  const searchText = useDebounced(search.trim(), 150);
  const found = useActors(searchText);
  const programs = ['cli', 'system'].map((actor) => ({
    value: actor,
    label: actorName({ actor, name: null }),
  }));
  const fixed = searchText === '' ? [everyone, ...programs] : [];
  const options = [...fixed, ...(found.data ?? [])];
  const chosen = options.find((option) => option.value === value);
  return (
    <Combobox
      label="Who"
      quiet
      chosen={value === '' ? everyone : (chosen ?? { value, label: actorName({ actor: value, name }) })}
      options={options}
      search={search}
      onSearch={setSearch}
      onChoose={onChange}
      placeholder="Everyone"
      busy={found.isFetching}
      foot={options.length === 0 && !found.isFetching ? 'No user or key matches.' : undefined}
    />
  );
}

function useActors(searchText: string) {
  const seesUsers = useMay('users:read');
  const seesKeys = useMay('keys:read');
  const query = { limit: shownAtOnce, ...(searchText === '' ? {} : { q: searchText }) };
  return useQuery({
    queryKey: ['audit', 'actors', searchText],
    queryFn: async (): Promise<ComboboxOption[]> => {
      const [users, keys] = await Promise.all([
        seesUsers ? client.call('listUsers', { query: { ...query, sort: 'name' } }) : { data: [] },
        seesKeys ? client.call('listKeys', { query: { ...query, sort: 'name' } }) : { data: [] },
      ]);
      return [
        ...users.data.map(({ email, name }) => ({
          value: email,
          label: name === '' ? email : name,
          hint: email,
        })),
        ...keys.data.map(({ id, name }) => ({ value: id, label: name, hint: `Key ${id}` })),
      ];
    },
    placeholderData: keepPreviousData,
  });
}
