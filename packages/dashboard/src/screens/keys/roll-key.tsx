import type { ApiKey } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogActions } from '../../parts/dialog.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { NewKeySecret } from './new-key-secret.tsx';

const overlaps = [
  { value: '0', label: 'No overlap: it expires immediately' },
  { value: '3600', label: 'For an hour' },
  { value: '86400', label: 'For a day' },
  { value: '604800', label: 'For a week' },
];

export function RollKeyDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const [overlap, setOverlap] = useState('3600');
  const queries = useQueryClient();
  const call = { params: { keyId: apiKey.id }, body: { overlapSeconds: Number(overlap) } };
  const roll = useMutation({
    mutationFn: () => client.call('rollKey', call),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  });
  if (roll.data !== undefined)
    return (
      <Dialog open onClose={onClose} title="Your new key" keep>
        <NewKeySecret made={roll.data} onClose={onClose} />
      </Dialog>
    );
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Roll ${apiKey.name}`}
      lead="Creates a key with the same name and permissions. Replace the old key where it is used."
    >
      <SelectField label="The old key stays valid" value={overlap} onChange={setOverlap} choices={overlaps} />
      {roll.error !== null && <Problem error={roll.error} />}
      <ApiCall
        operation="rollKey"
        {...call}
        command={`docyard keys roll ${apiKey.id} --overlap ${overlap}`}
      />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" onClick={() => roll.mutate()} busy={roll.isPending}>
          Roll key
        </Button>
      </DialogActions>
    </Dialog>
  );
}
