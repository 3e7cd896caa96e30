/** Credential fields for a repository that was not found without a credential. */
import { forgeKinds } from '@docyard/api';
import { SelectField, TextField } from '../../parts/field.tsx';
import { kindNames, rights, type Kind } from './forge-settings.tsx';

export interface PrivateForm {
  kind: Kind | undefined;
  token: string;
}

interface PrivateFieldsProps {
  form: PrivateForm;
  repository: string;
  set: (change: Partial<PrivateForm>) => void;
}

export function PrivateFields({ form, repository, set }: PrivateFieldsProps) {
  const kind = form.kind ?? kindBy(repository);
  return (
    <div className="form-row">
      <SelectField
        label="Forge"
        value={kind}
        onChange={(next) => set({ kind: next })}
        choices={forgeKinds.map((value) => ({ value, label: kindNames[value] }))}
      />
      <TextField
        label="Token"
        optional
        mono
        type="password"
        autoComplete="off"
        value={form.token}
        onChange={(token) => set({ token })}
        hint={`For a private repository. ${rights[kind]} It is stored encrypted and never shown again.`}
      />
    </div>
  );
}

export function forgeOf({ kind, token }: PrivateForm, repository: string) {
  if (token === '') return undefined;
  return { kind: kind ?? kindBy(repository), credential: { type: 'token', token } as const };
}

/** Guesses the forge from the host name. */
function kindBy(repository: string): Kind {
  const host = URL.parse(repository)?.host ?? '';
  const [, kind] = hosts.find(([part]) => host.includes(part)) ?? [];
  return kind ?? 'bare';
}

const hosts: [part: string, kind: Kind][] = [
  ['github', 'github'],
  ['gitlab', 'gitlab'],
  ['gitea', 'gitea'],
  ['forgejo', 'gitea'],
  ['codeberg', 'gitea'],
  ['bitbucket.org', 'bitbucket'],
  ['bitbucket', 'bitbucket-data-center'],
];
