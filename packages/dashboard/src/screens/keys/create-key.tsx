import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { client } from '../../api/client.ts';
import { ApiCall, quoted } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { ChoiceCards } from '../../parts/choice.tsx';
import { Dialog, DialogActions } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Form, FormProblem } from '../../parts/form.tsx';
import { Segments } from '../../parts/segments.tsx';
import { ProjectPicker } from '../projects/project-picker.tsx';
import {
  areas,
  areasFor,
  bodyOf,
  draftOf,
  levelsOf,
  lifetimes,
  type Access,
  type Area,
  type KeyDraft,
  type Level,
} from './access.ts';
import { NewKeySecret } from './new-key-secret.tsx';

export function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const [search] = useSearchParams();
  const [draft, setDraft] = useState(() => draftOf(search));
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: () => client.call('createKey', { body: bodyOf(draft) }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  });
  const made = create.data;
  const title = made === undefined ? 'Create an API key' : 'Your new key';
  return (
    <Dialog open onClose={onClose} title={title} keep={made !== undefined}>
      {made === undefined ? (
        <Form error={create.error} onSubmit={() => create.mutate()}>
          <DraftFields draft={draft} onChange={setDraft} />
          <FormProblem />
          <ApiCall operation="createKey" body={bodyOf(draft)} command={commandOf(draft)} />
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              look="primary"
              type="submit"
              busy={create.isPending}
              disabled={bodyOf(draft).scopes.length === 0}
            >
              Create key
            </Button>
          </DialogActions>
        </Form>
      ) : (
        <NewKeySecret made={made} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface DraftProps {
  draft: KeyDraft;
  onChange: (draft: KeyDraft) => void;
}

function DraftFields({ draft, onChange }: DraftProps) {
  const everything = draft.projectId === '' ? 'Everything' : 'Everything of the project';
  return (
    <>
      <TextField
        label="Name"
        value={draft.name}
        onChange={(name) => onChange({ ...draft, name })}
        placeholder="ci"
        hint="What the key is for. The name appears in the audit log."
        path="name"
        maxLength={128}
        required
        autoFocus
      />
      <ProjectField value={draft.projectId} onChange={(projectId) => onChange({ ...draft, projectId })} />
      <ChoiceCards
        label="Permissions"
        value={draft.preset}
        onChange={(preset) => onChange({ ...draft, preset })}
        choices={[
          { value: 'read', label: 'Read', hint: `${everything} can be read and downloaded.` },
          {
            value: 'write',
            label: 'Read and write',
            hint: `${everything} can also be started, changed and deleted.`,
          },
          { value: 'custom', label: 'Custom', hint: 'Choose the access for each area.' },
        ]}
      />
      {draft.preset === 'custom' && (
        <AccessFields
          within={areasFor(draft.projectId)}
          access={draft.access}
          onChange={(access) => onChange({ ...draft, access })}
        />
      )}
      <SelectField
        label="Works for"
        value={draft.expires}
        onChange={(expires) => onChange({ ...draft, expires })}
        choices={lifetimes.map((value) => ({
          value,
          label: value === 'none' ? 'Until it is revoked' : `${value} days`,
        }))}
        hint={endOf(draft.expires)}
      />
      <TextField
        label="Addresses"
        optional
        value={draft.addresses}
        onChange={(addresses) => onChange({ ...draft, addresses })}
        placeholder={'203.0.113.7\n10.0.0.0/8'}
        hint="Allowed IP addresses or CIDR ranges, one per line. Default: all addresses."
        path="allowedAddresses"
        rows={2}
        mono
      />
    </>
  );
}

function ProjectField({ value, onChange }: { value: string; onChange: (projectId: string) => void }) {
  return (
    <ProjectPicker
      none="All projects"
      value={value}
      onChange={onChange}
      hint={
        value === ''
          ? 'Choose a project to limit the key to it.'
          : 'The key has access to this project only and is deleted with it.'
      }
    />
  );
}

interface AccessProps {
  within: readonly Area[];
  access: Access;
  onChange: (access: Access) => void;
}

function AccessFields({ within, access, onChange }: AccessProps) {
  const words: Record<Level, string> = { none: 'None', report: 'Report', read: 'Read', write: 'Write' };
  return (
    <div className="access">
      {within.map((area) => (
        <div key={area} className="access-line">
          <span>{areas[area]}</span>
          <Segments
            label={areas[area]}
            value={access[area]}
            onChange={(level) => onChange({ ...access, [area]: level })}
            segments={levelsOf(area).map((value) => ({ value, label: words[value] }))}
          />
        </div>
      ))}
    </div>
  );
}

function endOf(expires: string): string {
  if (expires === 'none')
    return 'A key without an expiry date stays valid until it is revoked. Prefer a key that expires.';
  const end = new Date(Date.now() + Number(expires) * 86_400_000);
  return `Until ${new Intl.DateTimeFormat('en', { dateStyle: 'long' }).format(end)}.`;
}

function commandOf(draft: KeyDraft): string {
  const { name, projectId, scopes, allowedAddresses = [] } = bodyOf(draft);
  const parts = [
    `docyard keys create --name ${quoted(name === '' ? 'ci' : name)}`,
    `--scope ${scopes.length === 0 ? 'SCOPE' : scopes.join(' ')}`,
  ];
  if (projectId !== undefined) parts.push(`--project ${projectId}`);
  if (draft.expires !== '90') parts.push(`--expires ${draft.expires}`);
  if (allowedAddresses.length > 0) parts.push(`--address ${allowedAddresses.join(' ')}`);
  return parts.join(' ');
}
