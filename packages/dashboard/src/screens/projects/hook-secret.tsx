import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyField } from '../../parts/copy.tsx';
import { Dialog, DialogActions } from '../../parts/dialog.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { Problem } from '../../parts/problem.tsx';
import { exact } from '../../parts/time.tsx';

const overlaps = [
  { value: '0', label: 'Not at all' },
  { value: '3600', label: 'For an hour' },
  { value: '86400', label: 'For a day' },
  { value: '604800', label: 'For a week' },
];

interface HookSecretDialogProps {
  projectId: string;
  isFirst: boolean;
  onClose: () => void;
}

export function HookSecretDialog({ projectId, isFirst, onClose }: HookSecretDialogProps) {
  const [overlap, setOverlap] = useState('86400');
  const queries = useQueryClient();
  const body = isFirst ? {} : { overlapSeconds: Number(overlap) };
  const call = { params: { projectId }, body };
  const create = useMutation({
    mutationFn: () => client.call('createHookSecret', call),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['project', projectId, 'hook'] }),
  });
  if (create.data !== undefined) {
    const { url, secret, oldSecretValidUntil } = create.data;
    return (
      <Dialog open onClose={onClose} title="The secret of the hook" keep>
        <div className="form">
          <Note tone="warn">Copy the secret now. It is shown only once.</Note>
          <div className="field">
            <span className="field-label">Secret</span>
            <div className="shown-once">
              <CopyField text={secret} label="secret" />
            </div>
          </div>
          <div className="field">
            <span className="field-label">URL</span>
            <div>
              <CopyField text={url} label="URL of the hook" />
            </div>
          </div>
          {oldSecretValidUntil !== null && (
            <p className="soft">Until {exact(oldSecretValidUntil)} the old secret is accepted too.</p>
          )}
          <DialogActions>
            <Button look="primary" onClick={onClose}>
              I have copied it
            </Button>
          </DialogActions>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={isFirst ? 'Create a secret' : 'Replace the secret'}
      lead={
        isFirst
          ? 'The secret enables the hook. The forge signs or sends it with each event.'
          : 'Enter the new secret at the forge. Both secrets are accepted during the overlap.'
      }
    >
      {!isFirst && (
        <SelectField
          label="Also accept the old secret"
          value={overlap}
          onChange={setOverlap}
          choices={overlaps}
        />
      )}
      <ApiCall
        operation="createHookSecret"
        {...call}
        command={`docyard events create-secret --project ${projectId}`}
      />
      {create.error !== null && <Problem error={create.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" busy={create.isPending} onClick={() => create.mutate()}>
          Create a secret
        </Button>
      </DialogActions>
    </Dialog>
  );
}
