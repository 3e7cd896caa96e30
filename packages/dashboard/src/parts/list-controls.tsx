/** Search and sort order of a list, stored in the URL. */
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useDebounced } from './use-debounced.ts';
import { SelectField, TextField } from './field.tsx';

/** The first choice is the default and is omitted from the URL. */
export type SortChoices<Sort extends string> = readonly [SortChoice<Sort>, ...SortChoice<Sort>[]];

interface SortChoice<Sort extends string> {
  value: Sort;
  label: string;
}

export interface ListQuery<Sort extends string> {
  q?: string;
  sort?: Sort;
}

const maxSearchLength = 100;

export function useListQuery<Sort extends string>(choices: SortChoices<Sort>): ListQuery<Sort> {
  const [search] = useSearchParams();
  const q = (search.get('q') ?? '').trim().slice(0, maxSearchLength);
  const sort = choices.find(({ value }) => value === search.get('sort'))?.value;
  return {
    ...(q === '' ? {} : { q }),
    ...(sort === undefined || sort === choices[0].value ? {} : { sort }),
  };
}

interface ListControlsProps<Sort extends string> {
  label: string;
  placeholder: string;
  choices: SortChoices<Sort>;
}

export function ListControls<Sort extends string>({ label, placeholder, choices }: ListControlsProps<Sort>) {
  const [search, setSearch] = useSearchParams();
  const [text, setText] = useState(search.get('q') ?? '');
  const settled = useDebounced(text.trim(), 200);
  const setParam = (name: string, value: string) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === '') next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  const address = search.get('q') ?? '';
  const written = useRef(address);
  useEffect(() => {
    if (settled === written.current) return;
    written.current = settled;
    setParam('q', settled);
    // oxlint-disable-next-line react/exhaustive-deps
  }, [settled]);
  useEffect(() => {
    if (address === written.current) return;
    written.current = address;
    setText(address);
  }, [address]);
  const sort = choices.find(({ value }) => value === search.get('sort'))?.value ?? choices[0].value;
  return (
    <div className="list-controls">
      <TextField
        label={`Search ${label}`}
        quiet
        type="search"
        value={text}
        onChange={setText}
        placeholder={placeholder}
        maxLength={maxSearchLength}
      />
      {choices.length > 1 && (
        <SelectField
          label="Order"
          quiet
          value={sort}
          onChange={(next) => setParam('sort', next === choices[0].value ? '' : next)}
          choices={choices}
        />
      )}
    </div>
  );
}
