import { TextField } from '../../parts/field.tsx';
import { SourceChecklist, type useSourceCheck } from './source-check.tsx';

export interface SourceForm {
  repository: string;
  ref: string;
  directory: string;
}

interface SourceFieldsProps {
  form: SourceForm;
  set: (change: Partial<SourceForm>) => void;
  check: ReturnType<typeof useSourceCheck> | undefined;
  autoFocus?: boolean;
}

export function SourceFields({ form, set, check, autoFocus = false }: SourceFieldsProps) {
  return (
    <>
      <TextField
        label="Repository"
        mono
        value={form.repository}
        onChange={(repository) => set({ repository })}
        placeholder="https://git.example.com/harbour/docs.git"
        required
        autoFocus={autoFocus}
        path={['source.repository', 'source']}
      />
      <div className="form-row">
        <TextField
          label="Branch"
          optional
          mono
          value={form.ref}
          onChange={(ref) => set({ ref })}
          placeholder="the default branch"
          path="source.ref"
        />
        <TextField
          label="Folder"
          optional
          mono
          value={form.directory}
          onChange={(directory) => set({ directory })}
          placeholder="docs"
          hint="Where docs.json is."
          path="source.directory"
        />
      </div>
      {check !== undefined && <SourceChecklist check={check} />}
    </>
  );
}

export function sourceOf({ repository, ref, directory }: SourceForm) {
  return {
    repository: repository.trim(),
    ...(ref.trim() === '' ? {} : { ref: ref.trim() }),
    ...(directory.trim() === '' ? {} : { directory: directory.trim() }),
  };
}
