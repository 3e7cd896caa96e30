/** A form for a record that other callers may change at the same time. */
import { DocyardError } from '@docyard/api';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useUnsavedEdits } from '../edits/unsaved-edits.ts';

interface RecordFormOptions<Item, Form> {
  record: Item;
  formOf: (record: Item) => Form;
  save: (form: Form, version: number) => Promise<Item>;
  read: () => Promise<Item>;
  onSaved: (record: Item) => void;
}

/** Another caller has changed the edited fields of the record. */
class ConflictError<Item> extends Error {
  readonly current: Item;

  constructor(current: Item) {
    super('The record was changed by another caller.');
    this.name = 'ConflictError';
    this.current = current;
  }
}

export interface Conflict<Form> {
  current: Form;
  reload: () => void;
  overwrite: () => void;
  close: () => void;
}

export function useRecordForm<Item extends { version: number }, Form extends object>(
  options: RecordFormOptions<Item, Form>,
) {
  const { record, formOf, save, read, onSaved } = options;
  const [base, setBase] = useState(record);
  const [form, setForm] = useState(() => formOf(record));
  const isSame = isEqual(form, formOf(base));
  const adopt = (next: Item) => {
    setBase(next);
    setForm(formOf(next));
  };
  // A newer record replaces the form only while there are no edits.
  if (record.version > base.version && isSame) adopt(record);

  const saving = useMutation({
    mutationFn: async (basis: Item) => {
      try {
        return await save(form, basis.version);
      } catch (error) {
        if (!(error instanceof DocyardError && error.code === 'version_conflict')) throw error;
        const current = await read();
        if (isEqual(formOf(current), form)) return current;
        if (isEqual(formOf(current), formOf(basis))) return save(form, current.version);
        throw new ConflictError(current);
      }
    },
    onSuccess: (next) => {
      adopt(next);
      onSaved(next);
    },
  });
  useUnsavedEdits(() => !isSame);
  const conflicting = saving.error instanceof ConflictError ? (saving.error.current as Item) : undefined;
  const conflict: Conflict<Form> | undefined = conflicting && {
    current: formOf(conflicting),
    reload: () => {
      adopt(conflicting);
      saving.reset();
    },
    overwrite: () => saving.mutate(conflicting),
    close: () => saving.reset(),
  };
  return {
    form,
    set: (change: Partial<Form>) => setForm({ ...form, ...change }),
    isSame,
    submit: () => saving.mutate(base),
    error: conflict === undefined ? saving.error : null,
    isPending: saving.isPending,
    conflict,
  };
}

function isEqual(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
