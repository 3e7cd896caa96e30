/** Chooses whose entries are shown: a person, a key, the command line or the service. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useMay } from '../../session/session.tsx';
import { Combobox, type ComboboxOption } from '../../parts/combobox.tsx';
import { useDebounced } from '../../parts/debounced.ts';
import { actorName } from './actor-name.ts';

const shownAtOnce = 10;
const everyone: ComboboxOption = { value: '', label: 'Everyone' };

interface ActorPickerProps {
  /** Empty for everyone. */
  value: string;
  /** What the entries on the screen call the chosen actor. */
  name: string | null;
  onChange: (actor: string) => void;
}

export function ActorPicker({ value, name, onChange }: ActorPickerProps) {
  const [search, setSearch] = useState('');
  const wanted = useDebounced(search.trim(), 150);
  const found = useActors(wanted);
  const programs = ['cli', 'system'].map((actor) => ({
    value: actor,
    label: actorName({ actor, name: null }),
  }));
  const fixed = wanted === '' ? [everyone, ...programs] : [];
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
      foot={options.length === 0 && !found.isFetching ? 'No person or key matches.' : undefined}
    />
  );
}

function useActors(wanted: string) {
  const seesPeople = useMay('people:read');
  const seesKeys = useMay('keys:read');
  const query = { limit: shownAtOnce, ...(wanted === '' ? {} : { q: wanted }) };
  return useQuery({
    queryKey: ['audit', 'actors', wanted],
    queryFn: async (): Promise<ComboboxOption[]> => {
      const [people, keys] = await Promise.all([
        seesPeople ? client.call('listPeople', { query: { ...query, sort: 'name' } }) : { data: [] },
        seesKeys ? client.call('listKeys', { query: { ...query, sort: 'name' } }) : { data: [] },
      ]);
      return [
        ...people.data.map(({ email, name }) => ({
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
